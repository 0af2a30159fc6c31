{
  description = "Fast, live disk-usage browser for the terminal, with JSON for scripts";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "riscv64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      manifest = (nixpkgs.lib.importTOML ./Cargo.toml).package;
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = manifest.name;
          version = manifest.version;
          src = pkgs.lib.cleanSource ./.;
          cargoLock.lockFile = ./Cargo.lock;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # The tests want a terminal, mounts and users that a build has not.
          doCheck = false;
          postInstall = ''
            installManPage packaging/man/duke.1
            installShellCompletion packaging/completions/{duke.bash,duke.fish,_duke}
          '';
          meta = {
            description = manifest.description;
            mainProgram = "duke";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            platforms = pkgs.lib.platforms.unix;
          } // pkgs.lib.optionalAttrs (manifest ? homepage) { inherit (manifest) homepage; };
        };
      });
    };
}
