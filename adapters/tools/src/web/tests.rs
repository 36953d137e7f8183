//! Pages over real HTTP on this machine, and all the ways to reach it that are refused.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, RawQuery};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect};
use axum::routing::get;
use pensive_contract::inbound::ChatKind;
use pensive_contract::secret::Secret;
use pensive_contract::tool::{Tool, ToolFault};
use url::Url;

use super::*;
use crate::settings::SearchEngine;
use crate::testing::{Frozen, errand, serve};

async fn fetch(reach: Reach, url: &str) -> Result<String, ToolFault> {
    let clock: Arc<dyn Clock> = Arc::new(Frozen::default());
    let tools = tools(WebSettings { reach, search: None }, &clock);
    call(&tools, &format!(r#"{{"url":{url:?}}}"#)).await
}

async fn call(tools: &[Arc<dyn Tool>], arguments: &str) -> Result<String, ToolFault> {
    tools.last().unwrap().call(arguments, &errand(ChatKind::Direct)).await
}

/// A visitor that holds 127.0.0.1 for public and every other closed address for closed.
fn guarded(names: &[(&str, &[&str])]) -> Visitor {
    let names: HashMap<String, Vec<IpAddr>> = names
        .iter()
        .map(|(name, found)| ((*name).to_owned(), found.iter().map(|found| found.parse().unwrap()).collect()))
        .collect();
    let judge = |address: IpAddr| address == IpAddr::V4(Ipv4Addr::LOCALHOST) || address::is_public(address);
    let lookup = Arc::new(move |name: String| {
        let found = names.get(&name).cloned().ok_or_else(|| std::io::Error::other("no such name"));
        Box::pin(std::future::ready(found)) as futures::future::BoxFuture<'static, _>
    });
    crate::testing::tls();
    Visitor::new(judge, lookup).unwrap()
}

async fn site() -> String {
    let big = || async { ([(header::CONTENT_TYPE, "text/plain")], "x".repeat(3 * 1024 * 1024)) };
    let app = Router::new()
        .route(
            "/",
            get(|| async {
                axum::response::Html("<title>Hi</title><h1>One</h1><p>two <a href=/next>on</a>")
            }),
        )
        .route("/big", get(big))
        .route("/long", get(|| async { "é".repeat(30_000) }))
        .route("/png", get(|| async { ([(header::CONTENT_TYPE, "image/png")], vec![0_u8; 5]) }))
        .route("/gone", get(|| async { StatusCode::GONE }))
        .route("/zip", get(|| async { ([(header::CONTENT_ENCODING, "gzip")], vec![0x1f_u8, 0x8b]) }))
        .route("/round", get(|| async { Redirect::temporary("/round") }))
        .route("/nowhere", get(|| async { StatusCode::FOUND }))
        .route("/hop", get(|| async { Redirect::permanent("hop2") }))
        .route("/hop2", get(|| async { Redirect::to("/") }))
        .route("/to", get(|RawQuery(to): RawQuery| async move { [(header::LOCATION, to.unwrap())].found() }));
    serve(app).await
}

trait Found {
    fn found(self) -> (StatusCode, [(header::HeaderName, String); 1]);
}

impl Found for [(header::HeaderName, String); 1] {
    fn found(self) -> (StatusCode, [(header::HeaderName, String); 1]) {
        (StatusCode::FOUND, self)
    }
}

#[tokio::test]
async fn pages_are_told_as_text() {
    let site = site().await;
    let get = async |path: &str| fetch(Reach::Anywhere, &format!("{site}{path}")).await;
    let home = format!(
        "Address: {site}/\nType: text/html; charset=utf-8\nTitle: Hi\n\n# One\n\ntwo on ({site}/next)"
    );
    assert_eq!(get("/").await.unwrap(), home);
    assert_eq!(get("/hop").await.unwrap(), home);
    let long = get("/long").await.unwrap();
    assert!(long.ends_with("é\n\n[the first 20000 of 30000 characters]"), "{}", long.len());
    assert!(get("/big").await.unwrap().ends_with("[the first 20000 of 2097152 characters]"));
    assert!(get("/png").await.unwrap().ends_with("[5 bytes that are no text]"));
}

#[tokio::test]
async fn what_cannot_be_read_is_told() {
    let site = site().await;
    let check = async |url: &str, words: &str| {
        let fault = fetch(Reach::Anywhere, url).await.unwrap_err();
        assert!(fault.model.contains(words), "{url}: {fault:?}");
        assert!(!fault.log.contains("127.0.0.1"), "{fault:?}");
    };
    check(&format!("{site}/gone"), "410 Gone").await;
    check(&format!("{site}/absent"), "404 Not Found").await;
    check(&format!("{site}/zip"), "compressed").await;
    check(&format!("{site}/round"), "after 5 redirects").await;
    check(&format!("{site}/nowhere"), "without saying where").await;
    check(&format!("{site}/to?ftp://example.org/"), "Only http and https").await;
    check("file:///etc/passwd", "Only http and https").await;
    check("data:text/plain,hi", "Only http and https").await;
    check("example.org", "no address").await;
    check("http://", "no address").await;
    check("http://user:word@example.org/", "user name").await;
    check("http://127.0.0.1:1/", "could not be reached").await;
}

#[tokio::test]
async fn what_is_not_public_is_refused_in_every_spelling() {
    crate::testing::tls();
    let hosts = [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0x7f.1",
        "0",
        "10.0.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "169.254.169.254.",
        "100.100.100.200",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[fd00:ec2::254]",
        "[fe80::1]",
        "[64:ff9b::7f00:1]",
        "①②⑦.0.0.1",
        "%31%32%37.0.0.1",
        "localhost",
    ];
    for host in hosts {
        let fault = fetch(Reach::Public, &format!("http://{host}:9/")).await.unwrap_err();
        assert!(fault.model.contains("not on the public internet"), "{host}: {fault:?}");
    }
}

#[tokio::test]
async fn a_name_that_leads_to_a_closed_network_is_refused() {
    let visitor = guarded(&[
        ("house.example", &["192.168.0.7"]),
        ("six.example", &["::1", "fd00::1"]),
        ("mapped.example", &["::ffff:10.0.0.1"]),
    ]);
    for name in ["house.example", "six.example", "mapped.example", "HOUSE.example"] {
        let missed = visitor.get(&format!("http://{name}/")).await.unwrap_err();
        assert!(matches!(missed, visit::Missed::NotPublic), "{name}: {missed:?}");
    }
    let missed = visitor.get("http://unknown.example/").await.unwrap_err();
    assert!(matches!(missed, visit::Missed::Connect(_)), "{missed:?}");
}

#[tokio::test]
async fn of_a_name_with_open_and_closed_addresses_only_the_open_ones_are_connected_to() {
    let site = site().await;
    let port = Url::parse(&site).unwrap().port().unwrap();
    let visitor = guarded(&[("mixed.example", &["127.0.0.2", "127.0.0.1"])]);
    let answer = visitor.get(&format!("http://mixed.example:{port}/")).await.unwrap();
    assert!(answer.body.starts_with(b"<title>"));
}

#[tokio::test]
async fn redirects_are_judged_like_the_first_address() {
    let site = site().await;
    let visitor = guarded(&[("inside.example", &["10.0.0.1"])]);
    assert!(visitor.get(&format!("{site}/to?/")).await.is_ok());
    for target in [
        "http://127.0.0.2/",
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data",
        "http://inside.example/",
    ] {
        let missed = visitor.get(&format!("{site}/to?{target}")).await.unwrap_err();
        assert!(matches!(missed, visit::Missed::NotPublic), "{target}: {missed:?}");
    }
    let missed = visitor.get(&format!("{site}/to?//0x7f.2/")).await.unwrap_err();
    assert!(matches!(missed, visit::Missed::NotPublic), "{missed:?}");
}

#[tokio::test]
async fn a_page_that_never_comes_is_given_up() {
    let site = serve(Router::new().route("/", get(std::future::pending::<StatusCode>))).await;
    let clock = Arc::new(Frozen::default());
    let shared: Arc<dyn Clock> = Arc::clone(&clock) as Arc<dyn Clock>;
    let tools = tools(WebSettings { reach: Reach::Anywhere, search: None }, &shared);
    let arguments = format!(r#"{{"url":"{site}/"}}"#);
    let (fault, ()) = tokio::join!(call(&tools, &arguments), async { clock.ring() });
    assert_eq!(fault.unwrap_err().model, "The page did not come within 30 seconds.");
}

fn searching(search: SearchEngine) -> Vec<Arc<dyn Tool>> {
    let clock: Arc<dyn Clock> = Arc::new(Frozen::default());
    tools(WebSettings { reach: Reach::Public, search: Some(search) }, &clock)
}

#[tokio::test]
async fn a_searxng_server_is_asked() {
    let app = Router::new().route(
        "/sx/search",
        get(|Query(asked): Query<HashMap<String, String>>| async move {
            if asked.get("format").map(String::as_str) != Some("json") {
                return StatusCode::FORBIDDEN.into_response();
            }
            let title = asked.get("q").cloned().unwrap();
            format!(
                r#"{{"query":"q","results":[{{"title":"<b>{title}</b>","url":"https://a.example/","content":"x &amp; y","engine":"e"}},
                {{"title":"two","url":"https://b.example/","content":null}},{{"title":"three","url":"https://c.example/"}}]}}"#
            )
            .into_response()
        }),
    );
    let site = serve(app).await;
    for path in ["/sx", "/sx/", "/sx/search"] {
        let tools = searching(SearchEngine::Searxng { url: format!("{site}{path}").parse().unwrap() });
        let told = call(&tools, r#"{"query":"räksmörgås & co","count":2}"#).await.unwrap();
        assert_eq!(
            told,
            "1. räksmörgås & co\n   https://a.example/\n   x & y\n2. two\n   https://b.example/"
        );
    }
}

#[tokio::test]
async fn brave_is_asked_with_its_key() {
    let app = Router::new().route(
        "/search",
        get(|headers: HeaderMap, Query(asked): Query<HashMap<String, String>>| async move {
            if headers.get("x-subscription-token").is_none_or(|key| key != "key-1") {
                return StatusCode::UNAUTHORIZED.into_response();
            }
            assert!(asked["q"].len() <= 400 && asked["count"] == "5");
            r#"{"type":"search","web":{"results":[{"title":"T","url":"https://a.example/","description":"a <strong>b</strong> c"}]}}"#
                .into_response()
        }),
    );
    let site = serve(app).await;
    let url: Url = format!("{site}/search").parse().unwrap();
    let brave = |key: &str| searching(SearchEngine::Brave { url: Some(url.clone()), key: Secret::new(key) });
    let told = call(&brave("key-1"), &format!(r#"{{"query":"{}"}}"#, "word ".repeat(200))).await.unwrap();
    assert_eq!(told, "1. T\n   https://a.example/\n   a b c");
    let fault = call(&brave("key-2"), r#"{"query":"x"}"#).await.unwrap_err();
    assert!(
        fault.model.contains("owner has to look") && !format!("{fault:?}").contains("key-2"),
        "{fault:?}"
    );
}

#[tokio::test]
async fn an_engine_that_fails_is_told() {
    let check = async |body: &'static str, words: &str| {
        let site = serve(Router::new().route("/search", get(move || async move { body }))).await;
        let tools = searching(SearchEngine::Searxng { url: site.parse().unwrap() });
        let told = call(&tools, r#"{"query":"x"}"#).await.unwrap_or_else(|fault| fault.model);
        assert!(told.contains(words), "{told}");
    };
    check("<html>", "does not work now").await;
    check("{}", "Nothing found").await;
    check(r#"{"results":[]}"#, "Nothing found").await;
    let tools = searching(SearchEngine::Searxng { url: "http://127.0.0.1:1".parse().unwrap() });
    assert!(call(&tools, r#"{"query":"x"}"#).await.unwrap_err().model.contains("does not work now"));
    assert!(call(&tools, r#"{"query":" "}"#).await.unwrap_err().model.contains("what to search for"));
}
