# Stands in for nixpkgs: what flake.nix uses of it, and no more. packaging/checks/nix puts a program beside it.
{
  outputs = { self }:
    let
      lib = {
        cleanSource = path: path;
        genAttrs = names: make: builtins.listToAttrs (map (name: { inherit name; value = make name; }) names);
        importTOML = file: builtins.fromTOML (builtins.readFile file);
        licenses = { mit = "MIT"; asl20 = "Apache-2.0"; };
        optionalAttrs = condition: set: if condition then set else { };
        platforms.unix = [ "unix" ];
      };
      # Copies the program instead of building one. A lock file that is not there is an error.
      buildRustPackage = system: { pname, version, src, cargoLock, nativeBuildInputs, doCheck, postInstall, meta }:
        builtins.seq (builtins.readFile cargoLock.lockFile) (derivation {
          inherit system src postInstall;
          name = "${pname}-${version}";
          program = ./program;
          builder = "/bin/bash";
          args = [ "-euc" ''
            export PATH=/usr/bin:/bin
            installManPage() { install -Dm644 "$1" -t "$out/share/man/man''${1##*.}"; }
            installShellCompletion() {
              for file in "$@"; do
                case $file in
                *.bash) install -Dm644 "$file" -t "$out/share/bash-completion/completions" ;;
                *.fish) install -Dm644 "$file" -t "$out/share/fish/vendor_completions.d" ;;
                */_*) install -Dm644 "$file" -t "$out/share/zsh/site-functions" ;;
                *) echo "$file: of which shell?" >&2; exit 1 ;;
                esac
              done
            }
            cd "$src"
            install -Dm755 "$program" "$out/bin/duke"
            eval "$postInstall"
          '' ];
        } // { inherit meta; });
    in
    {
      inherit lib;
      legacyPackages = lib.genAttrs [ "x86_64-linux" "aarch64-linux" "riscv64-linux" "x86_64-darwin" "aarch64-darwin" ]
        (system: {
          inherit lib;
          installShellFiles = null;
          rustPlatform.buildRustPackage = buildRustPackage system;
        });
    };
}
