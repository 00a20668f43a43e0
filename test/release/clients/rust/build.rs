//! Generates the client from the OpenAPI 3.0.3 document.
use std::{env, fs, path::Path};

use openapiv3::{OpenAPI, PathItem, ReferenceOr, StatusCode};

fn main() {
    println!("cargo::rerun-if-env-changed=DOCUMENT");
    let path = env::var("DOCUMENT").expect("DOCUMENT is set");
    println!("cargo::rerun-if-changed={path}");
    let text = fs::read_to_string(path).expect("the 3.0.3 document exists");
    let mut document: OpenAPI = serde_yaml::from_str(&text).expect("the document is OpenAPI 3.0");
    // progenitor does not support multipart forms, so file uploads are left out of this client.
    document.paths.paths.retain(|_, item| !takes_form(item));
    document.paths.paths.values_mut().for_each(list_error_statuses);
    let mut settings = progenitor::GenerationSettings::default();
    settings.with_interface(progenitor::InterfaceStyle::Builder);
    let tokens = progenitor::Generator::new(&settings)
        .generate_tokens(&document)
        .expect("progenitor reads the document");
    let file = syn::parse2(tokens).expect("progenitor generates valid Rust");
    let target = Path::new(&env::var("OUT_DIR").unwrap()).join("client.rs");
    fs::write(target, prettyplease::unparse(&file)).unwrap();
}

// Replaces the default response by one for 4xx and 5xx: progenitor would also give it to successes, as a second type.
fn list_error_statuses(item: &mut ReferenceOr<PathItem>) {
    let ReferenceOr::Item(item) = item else { return };
    let methods = [&mut item.get, &mut item.put, &mut item.post, &mut item.patch, &mut item.delete];
    for operation in methods.into_iter().flatten() {
        if let Some(error) = operation.responses.default.take() {
            for hundreds in [4, 5] {
                operation.responses.responses.insert(StatusCode::Range(hundreds), error.clone());
            }
        }
    }
}

fn takes_form(item: &ReferenceOr<PathItem>) -> bool {
    let operations = item.as_item().into_iter().flat_map(|item| item.iter());
    operations
        .filter_map(|(_, operation)| operation.request_body.as_ref()?.as_item())
        .any(|body| body.content.contains_key("multipart/form-data"))
}
