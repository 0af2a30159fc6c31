//! Validator for the subset of JSON Schema (2020-12) that docs/schema.json uses. An unknown keyword is an error.

use super::json::Value;

/// Validates `value` against `schema`, and returns a message for each violation. The function is recursive, so
/// `value` must not be deeply nested.
pub fn violations(root: Value<'_>, schema: Value<'_>, value: Value<'_>) -> Vec<String> {
    let mut found = Vec::new();
    check(root, schema, value, "", &mut found);
    found
}

fn check(root: Value<'_>, schema: Value<'_>, value: Value<'_>, path: &str, found: &mut Vec<String>) {
    if schema.kind() == "boolean" {
        if !schema.is_true() {
            found.push(format!("{path}: must not be there"));
        }
        return;
    }
    for (keyword, rule) in schema.members() {
        let mut claim = |holds: bool| {
            if !holds {
                found.push(format!("{path}: {keyword}"));
            }
        };
        match keyword {
            "$schema" | "$id" | "$defs" | "title" | "description" | "contentEncoding" => {}
            "type" => claim(rule.text() == value.kind()),
            "const" => claim(equal(rule, value)),
            "enum" => claim(rule.elements().into_iter().any(|one| equal(one, value))),
            "minimum" => claim(value.number() >= rule.number()),
            "required" => claim(rule.elements().iter().all(|key| value.find(key.text()).is_some())),
            "anyOf" => claim(rule.elements().into_iter().any(|one| violations(root, one, value).is_empty())),
            "dependentRequired" => {
                let met = |(key, needs): &(&str, Value<'_>)| {
                    value.find(key).is_none()
                        || needs.elements().iter().all(|key| value.find(key.text()).is_some())
                };
                claim(rule.members().iter().all(met));
            }
            "$ref" => check(root, target(root, rule.text()), value, path, found),
            "items" => {
                for (number, element) in value.elements().into_iter().enumerate() {
                    check(root, rule, element, &format!("{path}[{number}]"), found);
                }
            }
            "properties" => {
                for (key, member) in value.members() {
                    if let Some(rule) = rule.find(key) {
                        check(root, rule, member, &format!("{path}.{key}"), found);
                    }
                }
            }
            "dependentSchemas" => {
                for (key, rule) in rule.members() {
                    if value.find(key).is_some() {
                        check(root, rule, value, path, found);
                    }
                }
            }
            _ => panic!("the schema says {keyword}, which this checker does not know"),
        }
    }
}

/// Returns the definition that `reference` names.
pub fn target<'d>(root: Value<'d>, reference: &str) -> Value<'d> {
    root.get("$defs").get(reference.strip_prefix("#/$defs/").expect("definitions are in $defs"))
}

fn equal(one: Value<'_>, other: Value<'_>) -> bool {
    one.kind() == other.kind() && one.kind() == "string" && one.text() == other.text()
}
