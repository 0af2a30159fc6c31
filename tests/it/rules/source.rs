//! Parser of the program's source files. For each module, it finds the types and re-exports in the module, and the
//! files that define the items used by the module.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree, Visibility};

/// Segments of a path from the crate's root, such as `["tree", "DirId"]`.
type ModulePath = Vec<String>;

/// Module in a file of its own, without test code.
pub struct Module {
    pub file: PathBuf,
    pub text: String,
    /// Names of types, traits and aliases that are visible to other modules.
    pub types: Vec<String>,
    /// Files that define the items to which this module refers. Re-exports are followed to the file with the
    /// definition.
    pub used: BTreeSet<PathBuf>,
    /// First segments of all paths: other crates, local names, `crate`.
    pub first_segments: BTreeSet<String>,
    items: BTreeSet<String>,
    children: BTreeSet<String>,
    /// Local name and path of each re-export. A glob re-export has the name `*` and the path before `::*`.
    exports: Vec<(String, ModulePath)>,
    imports: Vec<(String, ModulePath)>,
    paths: BTreeSet<ModulePath>,
}

/// Modules of the library: the module in `src/lib.rs`, the modules that it declares, and so on.
pub static MODULES: LazyLock<BTreeMap<ModulePath, Module>> = LazyLock::new(modules);

fn modules() -> BTreeMap<ModulePath, Module> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut modules = BTreeMap::new();
    read(&source.join("lib.rs"), &source, &[], &mut modules);
    assert!(modules.len() > 100, "the modules are declared in another way than this reads");
    let used: Vec<_> = modules.iter().map(|(path, module)| used(path, module, &modules)).collect();
    for (module, used) in modules.values_mut().zip(used) {
        module.used = used;
    }
    modules
}

fn read(file: &Path, folder: &Path, path: &[String], into: &mut BTreeMap<ModulePath, Module>) {
    let relative = file.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().to_path_buf();
    // A file that several systems share, such as `unix.rs`, is declared more than once, but counts once.
    if into.values().any(|module| module.file == relative) {
        return;
    }
    let text = fs::read_to_string(file).unwrap();
    let ast = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut reader = Reader { path: path.to_vec(), ..Reader::default() };
    for item in ast.items.iter().filter(|item| !is_for_tests(attributes(item))) {
        match item {
            Item::Mod(module) if module.content.is_none() => {
                let name = module.ident.to_string();
                let (file, inner) = locate(folder, &name, &module.attrs);
                let path = [path, std::slice::from_ref(&name)].concat();
                reader.children.insert(name);
                for file in file {
                    read(&file, &inner, &path, into);
                }
            }
            item => reader.item(item),
        }
    }
    let named = reader.imports.iter().chain(&reader.exports).map(|(_, path)| path).chain(&reader.paths);
    let first_segments = named.filter_map(|path| path.first().cloned()).collect();
    let module = Module {
        file: relative,
        text,
        types: reader.types,
        used: BTreeSet::new(),
        first_segments,
        items: reader.items,
        children: reader.children,
        exports: reader.exports,
        imports: reader.imports,
        paths: reader.paths,
    };
    // If a module has one file per operating system, each file becomes a module of its own.
    match into.entry(path.to_vec()) {
        std::collections::btree_map::Entry::Vacant(entry) => drop(entry.insert(module)),
        std::collections::btree_map::Entry::Occupied(mut entry) => {
            let other = [path, &[module.file.display().to_string()]].concat();
            entry.get_mut().items.extend(module.items.iter().cloned());
            into.insert(other, module);
        }
    }
}

/// Returns the files that a module declaration can refer to, and the folder that contains the module's children.
fn locate(folder: &Path, name: &str, attributes: &[Attribute]) -> (Vec<PathBuf>, PathBuf) {
    let inner = folder.join(name);
    let text: String = attributes.iter().map(tokens).collect();
    let named: Vec<PathBuf> = text
        .split('"')
        .filter(|part| Path::new(part).extension().is_some_and(|ending| ending == "rs"))
        .map(|part| folder.join(part))
        .collect();
    if let Some(inner) = named.first().and_then(|file| file.parent()).map(Path::to_path_buf) {
        return (named, inner);
    }
    let beside = folder.join(format!("{name}.rs"));
    (vec![if beside.exists() { beside } else { inner.join("mod.rs") }], inner)
}

fn tokens(attribute: &Attribute) -> String {
    match &attribute.meta {
        syn::Meta::Path(_) => String::new(),
        syn::Meta::List(list) => list.tokens.to_string(),
        syn::Meta::NameValue(pair) => match &pair.value {
            syn::Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Str(text) if pair.path.is_ident("path") => format!("\"{}\"", text.value()),
                _ => String::new(),
            },
            _ => String::new(),
        },
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let tokens = tokens(attribute);
        let has =
            |name: &str| tokens.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == name);
        has("test") && !has("any")
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn is_shown(visibility: &Visibility) -> bool {
    !matches!(visibility, Visibility::Inherited)
}

/// Collects the names that a `use` imports, with their paths.
fn leaves(tree: &UseTree, before: &[String], into: &mut Vec<(String, ModulePath)>) {
    let with = |ident: String| [before, &[ident]].concat();
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &with(path.ident.to_string()), into),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, before, into)),
        UseTree::Glob(_) => into.push(("*".to_owned(), before.to_vec())),
        UseTree::Rename(rename) => into.push((rename.rename.to_string(), with(rename.ident.to_string()))),
        UseTree::Name(name) if name.ident == "self" => {
            into.push((before.last().unwrap().clone(), before.to_vec()));
        }
        UseTree::Name(name) => into.push((name.ident.to_string(), with(name.ident.to_string()))),
    }
}

#[derive(Default)]
struct Reader {
    path: ModulePath,
    /// Number of inline modules that contain the visited code.
    inline: usize,
    types: Vec<String>,
    items: BTreeSet<String>,
    children: BTreeSet<String>,
    exports: Vec<(String, ModulePath)>,
    imports: Vec<(String, ModulePath)>,
    paths: BTreeSet<ModulePath>,
}

impl Reader {
    fn item(&mut self, item: &Item) {
        let (name, is_type) = match item {
            Item::Const(item) => (Some(&item.ident), false),
            Item::Enum(item) => (Some(&item.ident), is_shown(&item.vis)),
            Item::Fn(item) => (Some(&item.sig.ident), false),
            Item::Macro(item) => (item.ident.as_ref(), false),
            Item::Static(item) => (Some(&item.ident), false),
            Item::Struct(item) => (Some(&item.ident), is_shown(&item.vis)),
            Item::Trait(item) => (Some(&item.ident), is_shown(&item.vis)),
            Item::Type(item) => (Some(&item.ident), is_shown(&item.vis)),
            _ => (None, false),
        };
        if let Some(name) = name {
            self.items.insert(name.to_string());
            if is_type {
                self.types.push(name.to_string());
            }
        }
        self.visit_item(item);
    }

    /// Makes a path absolute if it begins with `crate`, `self` or `super`.
    fn absolute(&self, path: &[String]) -> ModulePath {
        let mut base = self.path.clone();
        let mut rest = path;
        let mut inline = self.inline;
        match rest.first().map(String::as_str) {
            Some("crate") => return [&["crate".to_owned()], &rest[1..]].concat(),
            Some("self" | "super") => {}
            _ => return path.to_vec(),
        }
        while let Some(first @ ("self" | "super")) = rest.first().map(String::as_str) {
            if first == "super" {
                if inline == 0 {
                    base.pop();
                }
                inline = inline.saturating_sub(1);
            }
            rest = &rest[1..];
        }
        [&["crate".to_owned()], &base[..], rest].concat()
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_for_tests(attributes(item)) {
            return;
        }
        match item {
            Item::Use(item) => {
                let mut found = Vec::new();
                leaves(&item.tree, &[], &mut found);
                let is_export = is_shown(&item.vis) && self.inline == 0;
                for (name, path) in found {
                    let leaf = (name, self.absolute(&path));
                    if is_export { self.exports.push(leaf) } else { self.imports.push(leaf) }
                }
            }
            Item::Mod(_) => {
                self.inline += 1;
                visit::visit_item(self, item);
                self.inline -= 1;
            }
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: ModulePath = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.paths.insert(self.absolute(&segments));
        visit::visit_path(self, path);
    }

    /// Visits the arguments of a macro, which are plain tokens. Each sequence of names joined by `::` is a path.
    fn visit_macro(&mut self, code: &'ast syn::Macro) {
        self.visit_path(&code.path);
        let text = code.tokens.to_string().replace("::", " :: ");
        let mut path = ModulePath::new();
        let mut joined = false;
        for word in text
            .split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == ':'))
            .filter(|word| !word.is_empty())
        {
            if word == "::" {
                joined = true;
                continue;
            }
            if !joined && path.len() > 1 {
                self.paths.insert(self.absolute(&path));
            }
            if !joined {
                path.clear();
            }
            path.push(word.to_owned());
            joined = false;
        }
        if path.len() > 1 {
            self.paths.insert(self.absolute(&path));
        }
    }
}

/// Returns the files that define the items a module refers to, except the module's own file.
fn used(own: &[String], module: &Module, modules: &BTreeMap<ModulePath, Module>) -> BTreeSet<PathBuf> {
    let mut used = BTreeSet::new();
    let own: ModulePath = own.iter().filter(|name| !name.contains('.')).cloned().collect();
    let find = |path: &[String]| -> Option<PathBuf> {
        match path.first().map(String::as_str) {
            Some("crate") if path.len() > 1 => resolve(&path[1..], modules, 0),
            Some(name) if module.children.contains(name) => resolve(&[&own, path].concat(), modules, 0),
            _ => None,
        }
    };
    for (name, path) in &module.imports {
        // An import of a whole module does not count as a use of its file. Only a path to an item of the module does.
        let is_module = path.first().is_some_and(|name| name == "crate") && modules.contains_key(&path[1..]);
        if !is_module || name == "*" {
            used.extend(find(path));
        }
    }
    for path in &module.paths {
        let imported = path.first().and_then(|first| module.imports.iter().find(|(name, _)| name == first));
        match imported {
            Some((_, import)) => used.extend(find(&[import, &path[1..]].concat())),
            None => used.extend(find(path)),
        }
    }
    used.remove(&module.file);
    used
}

/// Returns the file that defines the item at a path.
fn resolve(path: &[String], modules: &BTreeMap<ModulePath, Module>, depth: usize) -> Option<PathBuf> {
    let length = (0..=path.len()).rev().find(|&length| modules.contains_key(&path[..length]))?;
    let (own, rest) = path.split_at(length);
    let module = &modules[own];
    let Some(name) = rest.first() else { return Some(module.file.clone()) };
    if module.items.contains(name) || depth > 8 {
        return Some(module.file.clone());
    }
    let export = module.exports.iter().find(|(export, _)| export == name);
    let globs = module.exports.iter().filter(|(export, _)| export == "*");
    for (export, target) in export.into_iter().chain(globs) {
        let target = if export == "*" { [target, rest].concat() } else { [target, &rest[1..]].concat() };
        let target = match target.first().map(String::as_str) {
            Some("crate") => target[1..].to_vec(),
            Some(first) if module.children.contains(first) => [own, &target[..]].concat(),
            // The path leads to another crate.
            _ => continue,
        };
        if let Some(file) = resolve(&target, modules, depth + 1) {
            return Some(file);
        }
    }
    (length > 0).then(|| module.file.clone())
}
