//! Files: albums that come in and go out, voice, and what of them is fetched.

use reqwest::multipart;
use serde_json::{Value, json};

use crate::Bench;

#[tokio::test]
async fn media_albums_and_files_come_through() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    alice.album(&["one", "", "three"]);
    alice.voice().send();
    let updates = bench.call("getUpdates", json!({})).await;
    let (first, second) = (&updates[0]["message"], &updates[1]["message"]);
    assert_eq!(first["media_group_id"], second["media_group_id"]);
    assert_eq!((&first["caption"], second.get("caption")), (&json!("one"), None));
    let file = bench.call("getFile", json!({"file_id": updates[3]["message"]["voice"]["file_id"]})).await;
    let path = file["file_path"].as_str().unwrap().replace('/', "%2F");
    let url = format!("{}/file/bot{}/{path}", bench.telegram.url(), bench.telegram.token());
    let bytes = bench.http.get(url).send().await.unwrap().bytes().await.unwrap();
    assert!(bytes.starts_with(b"OggS"));

    let part = multipart::Part::bytes(b"content".to_vec()).file_name("notes.txt");
    let form = multipart::Form::new().text("chat_id", alice.id().to_string()).part("document", part);
    let answer: Value = bench
        .http
        .post(bench.url("sendDocument"))
        .multipart(form)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(answer["result"]["document"]["file_name"], "notes.txt");
    assert_eq!(bench.telegram.violations(), []);
}

#[tokio::test]
async fn downloads_are_counted_and_sizes_can_be_claimed() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    alice.document("big.bin", &b"small"[..]).claims(3 << 30).send();
    alice.photo().send();
    let updates = bench.call("getUpdates", json!({})).await;
    let document = &updates[0]["message"]["document"];
    assert_eq!((&document["file_size"], &document["file_name"]), (&json!(3_u64 << 30), &json!("big.bin")));
    let refused = bench.refused("getFile", json!({"file_id": document["file_id"]})).await;
    assert_eq!(refused, "Bad Request: file is too big");

    let sizes = updates[1]["message"]["photo"].as_array().unwrap();
    let widths: Vec<_> = sizes.iter().map(|size| size["width"].as_u64().unwrap()).collect();
    assert_eq!(widths, [90, 640], "the last is the whole picture");
    assert_eq!(bench.telegram.downloads(), [""; 0], "nobody has fetched anything");
    let file = bench.call("getFile", json!({"file_id": sizes[1]["file_id"]})).await;
    let path = file["file_path"].as_str().unwrap();
    let url = format!("{}/file/bot{}/{path}", bench.telegram.url(), bench.telegram.token());
    let bytes = bench.http.get(url).send().await.unwrap().bytes().await.unwrap();
    assert!(bytes.starts_with(b"\xff\xd8\xff"), "{bytes:?}");
    assert_eq!(bench.telegram.downloads(), [path]);
}

#[tokio::test]
async fn an_album_goes_out_as_messages_that_belong_together() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let item = |name: &str| json!({"type": "photo", "media": format!("attach://{name}"), "caption": name});
    let send = async |names: &[&str]| {
        let media: Vec<_> = names.iter().map(|name| item(name)).collect();
        let form = multipart::Form::new().text("chat_id", alice.id().to_string());
        let form = form.text("media", json!(media).to_string());
        let part = |name: &str| multipart::Part::bytes(name.as_bytes().to_vec()).file_name("a.jpg");
        let form = names.iter().fold(form, |form, name| form.part((*name).to_owned(), part(name)));
        let sent = bench.http.post(bench.url("sendMediaGroup")).multipart(form).send().await.unwrap();
        sent.json::<Value>().await.unwrap()
    };
    let sent = send(&["one", "two"]).await["result"].clone();
    assert_eq!((&sent[0]["caption"], &sent[1]["caption"]), (&json!("one"), &json!("two")));
    assert_eq!(sent[0]["media_group_id"], sent[1]["media_group_id"]);
    assert_eq!(alice.sees().len(), 2);
    assert_eq!(bench.telegram.violations(), []);
    assert!(send(&["one"]).await["description"].as_str().unwrap().contains("2 to 10"));
}
