//! Runs the scenario in Rust: boot, consent, a streamed answer, publishing a translation, an export page, errors.
use std::{env, error::Error as StdError, future::Future, time::Instant};

use futures::TryStreamExt;
use progenitor_client::Error;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

#[allow(clippy::all, dead_code, mismatched_lifetime_syntaxes, unused_imports)]
mod guidepost {
    include!(concat!(env!("OUT_DIR"), "/client.rs"));
}
use guidepost::{Client, types};

type Outcome<T> = Result<T, Box<dyn StdError>>;

fn get_env(name: &str) -> String {
    env::var(format!("GUIDEPOST_{name}")).unwrap_or_else(|_| panic!("GUIDEPOST_{name} is not set"))
}

/// A client that sends these headers with every request.
fn create_client(headers: &[(&'static str, String)]) -> Outcome<Client> {
    let mut all = HeaderMap::new();
    for (name, value) in headers {
        all.insert(HeaderName::from_static(name), HeaderValue::from_str(value)?);
    }
    let http = reqwest::Client::builder().default_headers(all).build()?;
    Ok(Client::new_with_client(&get_env("URL"), http))
}

async fn step<T>(name: &str, act: impl Future<Output = Outcome<(&'static str, T)>>) -> Option<T> {
    let (line, value) = match act.await {
        Ok((result, value)) => (serde_json::json!({ "step": name, "result": result }), Some(value)),
        Err(cause) => (serde_json::json!({ "step": name, "failed": format!("{cause:?}") }), None),
    };
    println!("{line}");
    value
}

// In the document, revisions are at least one in requests, hence unsigned, but have no minimum in responses.
fn base(revision: i64) -> u64 {
    u64::try_from(revision).expect("a revision is positive")
}

fn check(condition: bool, message: &str) -> Outcome<()> {
    if condition { Ok(()) } else { Err(message.into()) }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let conversation = format!("conv-scenario-{}", std::process::id());
    let Some((booted, visitor)) = step("boot", boot()).await else { return };
    step("consent", consent(&visitor, &booted)).await;
    step("stream", read_stream(&visitor, &conversation)).await;
    let member = step("translation", translate()).await;
    step("export", export(&conversation)).await;
    step("errors", errors(member)).await;
}

async fn boot() -> Outcome<(&'static str, (types::BootReply, Client))> {
    let origin = get_env("ORIGIN");
    let client = create_client(&[("origin", origin.clone())])?;
    let reply = client
        .boot_guide()
        .body_map(|body| body.app_id(get_env("APP_ID")).origin(origin.clone()).path("/"))
        .send()
        .await?
        .into_inner();
    let token = reply.jwt.as_ref().ok_or("no token")?.to_string();
    let visitor = create_client(&[("origin", origin), ("authorization", format!("Bearer {token}"))])?;
    Ok(("yes", (reply, visitor)))
}

async fn consent(visitor: &Client, booted: &types::BootReply) -> Outcome<(&'static str, ())> {
    let reply = visitor
        .record_consent()
        .body_map(|body| {
            body.visitor_id(booted.visitor_id.to_string())
                .url(format!("{}/", get_env("ORIGIN")))
                .copy_version(booted.config.consent.copy.version.to_string())
                .at(chrono::Utc::now().timestamp_millis() as f64)
                .decision(types::VisitorDecisionInput::Accepted)
        })
        .send()
        .await?;
    check(reply.ok && reply.recorded, "was not recorded")?;
    Ok(("yes", ()))
}

/// Reads an answer to its end and checks whether its events arrive one by one.
async fn read_stream(visitor: &Client, conversation: &str) -> Outcome<(&'static str, ())> {
    let reply = visitor
        .send_message()
        .body_map(|body| {
            body.message("How do I reset my password?")
                .dom_digest("main > h1 Account")
                .conversation_id(conversation)
                .turn_idx(0)
                .url(format!("{}/account", get_env("ORIGIN")))
        })
        .send()
        .await?;
    let mut stream = reply.into_inner().into_inner();
    let (mut rest, mut text, mut length, mut citations) = (Vec::new(), String::new(), -1, 0);
    let mut times = Vec::new();
    while let Some(piece) = stream.try_next().await? {
        rest.extend_from_slice(&piece);
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            let Some(data) = line.strip_prefix(b"data: ") else { continue };
            times.push(Instant::now());
            // The union rejects types that the document does not know.
            let Ok(event) = serde_json::from_slice(data) else { continue };
            match event {
                types::ChatEvent::TextDeltaEvent(event) => text.push_str(&event.delta),
                types::ChatEvent::CitationEvent(event) => {
                    check(text.contains(event.quote.as_str()), "a quote is not in the answer")?;
                    citations += 1;
                }
                types::ChatEvent::MessageEndEvent(event) => length = event.text_length,
                _ => {}
            }
        }
    }
    check(citations > 0 && length as usize == text.chars().count(), &text)?;
    let spread = times[times.len() - 1] - times[0];
    let is_incremental = spread.as_millis() > 50;
    Ok((if is_incremental { "typed, incremental" } else { "typed, buffered" }, ()))
}

async fn sign_in() -> Outcome<Client> {
    let url = get_env("URL");
    let reply = create_client(&[("origin", url.clone())])?
        .sign_in()
        .body_map(|body| body.email(get_env("EMAIL")).password(get_env("PASSWORD")))
        .send()
        .await?;
    let cookie = reply.headers().get("set-cookie").ok_or("no cookie")?.to_str()?;
    let cookie = cookie.split(';').next().unwrap_or_default().to_string();
    create_client(&[("origin", url), ("cookie", cookie)])
}

async fn translate() -> Outcome<(&'static str, Client)> {
    let member = sign_in().await?;
    let tenant = get_env("TENANT_ID");
    let article = member
        .create_article()
        .tenant_id(&*tenant)
        .body_map(|body| {
            body.title("Gift wrapping")
                .answer("Choose gift wrapping at the checkout. It costs two euros.")
        })
        .send()
        .await?;
    let published = member
        .publish_article()
        .tenant_id(&*tenant)
        .article_id(article.id.as_str())
        .body_map(|body| body.base_revision(base(article.revision)))
        .send()
        .await?;
    check(published.status.to_string().starts_with("published"), "not published")?;
    let draft = member
        .create_translation()
        .tenant_id(&*tenant)
        .article_id(article.id.as_str())
        .body_map(|body| {
            body.locale("de")
                .title("Geschenkverpackung")
                .answer("Wählen Sie die Geschenkverpackung an der Kasse.")
        })
        .send()
        .await?;
    let submitted = member
        .submit_translation()
        .tenant_id(&*tenant)
        .article_id(article.id.as_str())
        .translation_id(draft.id.as_str())
        .body_map(|body| body.base_revision(base(draft.revision)))
        .send()
        .await?;
    check(submitted.status.to_string().starts_with("in_review"), "not in review")?;
    let approved = member
        .review_translation()
        .tenant_id(&*tenant)
        .article_id(article.id.as_str())
        .translation_id(draft.id.as_str())
        .body_map(|body| {
            body.base_revision(base(submitted.revision))
                .decision(types::ReviewDecisionInput::Approve)
        })
        .send()
        .await?;
    check(approved.status.to_string().starts_with("approved"), "not approved")?;
    let live = member
        .publish_translation()
        .tenant_id(&*tenant)
        .article_id(article.id.as_str())
        .translation_id(draft.id.as_str())
        .body_map(|body| body.base_revision(base(approved.revision)))
        .send()
        .await?;
    let served = live.live.as_ref().ok_or("not live")?.revision;
    check(served == live.revision, "another revision is live")?;
    Ok(("yes", member))
}

async fn export(conversation: &str) -> Outcome<(&'static str, ())> {
    let exporter = create_client(&[("x-api-key", get_env("API_KEY"))])?;
    let page = exporter.export_conversations().limit(10u64).send().await?;
    let has_conversation = page.data.iter().any(|row| row.id.as_str() == conversation);
    check(has_conversation && !page.has_more, "the conversation is not on the page")?;
    Ok(("yes", ()))
}

async fn errors(member: Option<Client>) -> Outcome<(&'static str, ())> {
    let missing = member
        .ok_or("not signed in")?
        .read_article()
        .tenant_id(get_env("TENANT_ID"))
        .article_id("art_01kakv2fxse7wtg6x5r0h8rjbm")
        .send()
        .await;
    check_error(missing, 404, "article/not_found")?;
    let unknown_key = create_client(&[("x-api-key", format!("pk_live_{}", "a".repeat(47)))])?;
    let rejected = unknown_key.export_conversations().send().await;
    check_error(rejected, 401, "export/unauthorized")?;
    Ok(("typed", ()))
}

fn check_error<T>(outcome: Result<T, Error<types::ErrorBody>>, status: u16, code: &str) -> Outcome<()> {
    match outcome {
        Ok(_) => Err("expected an error".into()),
        Err(Error::ErrorResponse(response)) => {
            let is_code = response.error.to_string().starts_with(code);
            check(response.status().as_u16() == status && is_code, &response.error)
        }
        Err(other) => Err(other.into()),
    }
}
