//! Lets the binary find libz3: beside itself, where a release puts it, or where the build found
//! it (the build script of `gnomon-logic` says where that is).

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-bins=-Wl,-rpath,$ORIGIN");
    if let Ok(directory) = std::env::var("DEP_GNOMON_Z3_LIB_DIR") {
        println!("cargo::rustc-link-arg-bins=-Wl,-rpath,{directory}");
    }
}
