# For Nix: callPackage ./segue.nix { swift = …; src = …; }, with a toolchain of Swift 6.3 or newer as `swift`, and the
# archive of `make dist` as `src`, which needs no network. docs/packaging.md says what each part is for.
{ lib, stdenv, src, swift, pkg-config, python3, dbus, libffi, sqlite, expat, qrencode, curl, openssl, autoPatchelfHook }:

stdenv.mkDerivation {
  pname = "segue";
  version = "0.1.0";
  inherit src;

  outputs = [ "out" "dev" ];
  nativeBuildInputs = [ swift pkg-config python3 autoPatchelfHook ];
  buildInputs = [ dbus libffi sqlite expat qrencode curl openssl stdenv.cc.cc.lib ];

  postPatch = ''
    patchShebangs scripts
  '';

  buildPhase = ''
    runHook preBuild
    export HOME=$TMPDIR
    scripts/build-library
    scripts/build-daemon
    scripts/build-plugins
    runHook postBuild
  '';

  # Nix strips what is installed itself, and leaves alone what must not be changed: see docs/packaging.md.
  installPhase = ''
    runHook preInstall
    env PREFIX=$out SYSCONFDIR=$out/etc STRIP=no scripts/install
    moveToOutput include $dev
    runHook postInstall
  '';

  # A session finds the services and the unit through environment.pathsToLink = [ "/share" ], or by services.dbus.packages
  # and systemd.packages.
  meta = {
    description = "Activities that go on at another device";
    license = with lib.licenses; [ asl20 bsd3 mit ];
    platforms = lib.platforms.linux;
    mainProgram = "segue";
  };
}
