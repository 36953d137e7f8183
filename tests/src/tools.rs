//! Tools that do what a test says: answer, wait at a gate, break; and tell what they were asked and whether they were
//! dropped before their end.
#![allow(clippy::expect_used, reason = "a broken fake fails its test")]

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use pensive_contract::ids::AgentId;
use pensive_contract::model::ToolSpec;
use pensive_contract::tool::{Danger, Errand, Grant, Tool, ToolFault, Toolshed};

type Act =
    Box<dyn Fn(String) -> Pin<Box<dyn Future<Output = Result<String, ToolFault>> + Send>> + Send + Sync>;

/// A tool that failed.
pub fn fault(words: &str) -> Result<String, ToolFault> {
    Err(ToolFault { model: words.to_owned(), log: words.to_owned() })
}

/// The tools of a scene.
#[derive(Clone, Default)]
pub struct ToolsFake {
    tools: Vec<Arc<FakeTool>>,
    made: Arc<Mutex<Vec<(String, String, Grant)>>>,
    cut_off: Arc<AtomicUsize>,
}

struct FakeTool {
    spec: ToolSpec,
    danger: Danger,
    act: Act,
    made: Arc<Mutex<Vec<(String, String, Grant)>>>,
    cut_off: Arc<AtomicUsize>,
}

impl ToolsFake {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// One more, harmless.
    pub fn tool<F, R>(self, name: &str, act: F) -> Self
    where
        F: Fn(String) -> R + Send + Sync + 'static,
        R: Future<Output = Result<String, ToolFault>> + Send + 'static,
    {
        self.with(name, Danger::Harmless, act)
    }

    /// One more that somebody may have to allow.
    pub fn dangerous<F, R>(self, name: &str, act: F) -> Self
    where
        F: Fn(String) -> R + Send + Sync + 'static,
        R: Future<Output = Result<String, ToolFault>> + Send + 'static,
    {
        self.with(name, Danger::Dangerous, act)
    }

    /// What was called: name, arguments, and how far it could go.
    pub fn made(&self) -> Vec<(String, String, Grant)> {
        self.made.lock().expect("no test holds it").clone()
    }

    /// Calls that were dropped before their end.
    pub fn cut_off(&self) -> usize {
        self.cut_off.load(Ordering::SeqCst)
    }

    fn with<F, R>(mut self, name: &str, danger: Danger, act: F) -> Self
    where
        F: Fn(String) -> R + Send + Sync + 'static,
        R: Future<Output = Result<String, ToolFault>> + Send + 'static,
    {
        let spec = ToolSpec {
            name: name.to_owned(),
            description: format!("Does what {name} does."),
            schema: r#"{"type":"object"}"#.to_owned(),
        };
        let act: Act = Box::new(move |arguments| Box::pin(act(arguments)));
        let (made, cut_off) = (Arc::clone(&self.made), Arc::clone(&self.cut_off));
        self.tools.push(Arc::new(FakeTool { spec, danger, act, made, cut_off }));
        self
    }
}

#[async_trait]
impl Tool for FakeTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn danger(&self, _arguments: &str) -> Danger {
        self.danger
    }

    async fn call(&self, arguments: &str, errand: &Errand) -> Result<String, ToolFault> {
        let made = (self.spec.name.clone(), arguments.to_owned(), errand.grant);
        self.made.lock().expect("no test holds it").push(made);
        let mut guard = Guard(Some(&self.cut_off));
        let end = (self.act)(arguments.to_owned()).await;
        guard.0 = None;
        end
    }
}

/// Counts a call that is dropped on its way.
struct Guard<'a>(Option<&'a AtomicUsize>);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if let Some(count) = self.0 {
            count.fetch_add(1, Ordering::SeqCst);
        }
    }
}

#[async_trait]
impl Toolshed for ToolsFake {
    async fn tools(&self, _agent: &AgentId) -> Vec<Arc<dyn Tool>> {
        self.tools.iter().map(|tool| Arc::clone(tool) as Arc<dyn Tool>).collect()
    }
}
