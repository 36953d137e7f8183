//! What a configuration says of models that those who know models doubt: a model that nobody has heard of, a level that a
//! model lacks. Both work in their way, so they are told and stop nothing.

use pensive_config::{Config, Mention, Position, misspelt, nearest_names};
use pensive_contract::model::{Model, ModelRef};
use pensive_directives::Level;
use pensive_models::Models;

/// A line for each doubt, with its place, in the order of the file.
pub(crate) fn lines(config: &Config, models: &Models) -> Vec<String> {
    let file = config.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    let doubts = config.mentions.iter().filter_map(|mention| {
        let doubt = match mention.level {
            Some(level) => of_level(models, mention, level),
            None => of_model(config, models, mention),
        }?;
        let Mention { position: Position { line, column }, key, .. } = mention;
        Some(format!("{file}:{line}:{column}: {key}: {doubt}"))
    });
    doubts.collect()
}

/// A level that its model lacks moves when it is used.
fn of_level(models: &Models, mention: &Mention, level: Level) -> Option<String> {
    let model = &mention.model;
    let profile = models.profile(model);
    let moved = profile.label(profile.clamp(level)).to_owned();
    (!profile.offers(level)).then(|| {
        format!("{model} has no thinking level {level}, so {moved} is used; it has: {}", profile.values())
    })
}

fn of_model(config: &Config, models: &Models, mention: &Mention) -> Option<String> {
    let model = &mention.model;
    let near = strange(config, models, model)?;
    let near = if near.is_empty() { String::new() } else { format!("; near it: {}", near.join(", ")) };
    Some(format!("{model} is not known here and is called by what is usual for {}{near}", model.provider))
}

/// The names near a model that its vendor most likely does not have; nothing for one that it may have: who serves what
/// others made may serve anything, and what the file describes is there.
pub(crate) fn strange(config: &Config, models: &Models, model: &ModelRef) -> Option<Vec<String>> {
    let own = config.providers.iter().find(|own| own.name == model.provider);
    let is_described = own.is_some_and(|own| own.models.iter().any(|row| row.id == model.id));
    if is_described || !config.is_vendor(&model.provider) {
        return None;
    }
    let names = models.names(&model.provider);
    let names = || names.iter().map(String::as_str);
    // A row may name a whole family by how it begins, whatever follows.
    let is_strange = !models.knows(model) || misspelt(&model.id, names()).is_some();
    is_strange.then(|| nearest_names(&model.id, names()).into_iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pensive_config::{Sources, load};

    use super::*;
    use crate::clock::SystemClock;
    use crate::settings;

    /// The lines for a file of this text, without the file's own name.
    fn told(text: &str) -> Vec<String> {
        drop(rustls::crypto::ring::default_provider().install_default());
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("pensive.json5");
        std::fs::write(&file, text).unwrap();
        let env = [("HOME", "/nowhere")].into_iter().collect();
        let config = load(Sources { file: None, home: Some(home.path().to_owned()), env }).unwrap();
        let models = Models::new(settings::keyless(&config), Arc::new(SystemClock)).unwrap();
        let head = format!("{}:", file.display());
        lines(&config, &models).into_iter().map(|line| line.replace(&head, "")).collect()
    }

    #[test]
    fn what_is_known_is_passed_over() {
        let text = "{ agents: { defaults: { model: { primary: 'openai/gpt-5.6-sol', fallbacks: ['openai/gpt-5.2-2025-12-11'] },
              thinkingDefault: 'max', models: { 'openai/gpt-5.2': { params: { thinking: 'xhigh' } } } },
              list: [{ id: 'a' }, { id: 'b', model: 'local/anything' }, { id: 'c', model: 'openrouter/some/body', thinkingDefault: 'low' },
                     { id: 'd', model: 'openai/mine', thinkingDefault: 'high' }] },
            models: { providers: { local: { baseUrl: 'http://127.0.0.1:1', models: [{ id: 'anything',
              thinkingLevelMap: { max: 'most', off: null } }] }, openai: { models: [{ id: 'mine' }] } } } }";
        assert_eq!(told(text), [""; 0]);
    }

    #[test]
    fn a_level_that_no_profile_has_is_told_with_its_place_and_the_models_levels() {
        let text = "{ agents: { defaults: { model: 'openai/gpt-5', thinkingDefault: 'xhigh',
              models: { 'openai/gpt-5-pro': { params: { thinking: 'low' } } } } },
            models: { providers: { local: { baseUrl: 'http://127.0.0.1:1', models: [
              { id: 'm', reasoning: false, thinkingLevelMap: { high: 'much' } }] } } } }";
        let expected = [
            "1:65: agents.defaults.thinkingDefault: openai/gpt-5 has no thinking level xhigh, so high is used; it has: off, \
             minimal, low, medium, high",
            "2:67: agents.defaults.models[\"openai/gpt-5-pro\"].params.thinking: openai/gpt-5-pro has no thinking level low, so \
             high is used; it has: off, high",
            "4:70: models.providers.local.models[0].thinkingLevelMap.high: local/m has no thinking level high, so off is used; \
             it has: off",
        ];
        assert_eq!(told(text), expected);
    }

    #[test]
    fn a_model_that_its_vendor_does_not_have_is_told_with_its_place_and_near_names() {
        let text = "{ agents: { defaults: { model: 'openai/gpt-5.6-soll' } } }";
        let told = told(text);
        let expected = "1:32: agents.defaults.model: openai/gpt-5.6-soll is not known here and is called by what is usual for \
                        openai; near it: gpt-5.6-sol";
        assert!(told.len() == 1 && told[0].starts_with(expected), "{told:?}");
    }

    #[test]
    fn the_model_that_a_key_alone_picks_is_known() {
        drop(rustls::crypto::ring::default_provider().install_default());
        for (variable, provider) in [
            ("OPENAI_API_KEY", "openai"),
            ("ANTHROPIC_API_KEY", "anthropic"),
            ("GEMINI_API_KEY", "google"),
            ("OPENROUTER_API_KEY", "openrouter"),
            ("DEEPSEEK_API_KEY", "deepseek"),
            ("GROQ_API_KEY", "groq"),
            ("MISTRAL_API_KEY", "mistral"),
            ("XAI_API_KEY", "xai"),
            ("MOONSHOT_API_KEY", "moonshot"),
            ("ZAI_API_KEY", "zai"),
            ("DASHSCOPE_API_KEY", "qwen"),
            ("MINIMAX_API_KEY", "minimax"),
            ("KIMI_API_KEY", "kimi"),
        ] {
            let home = tempfile::tempdir().unwrap();
            let env = [(variable, "key")].into_iter().collect();
            let config = load(Sources { file: None, home: Some(home.path().to_owned()), env }).unwrap();
            let models = Models::new(settings::keyless(&config), Arc::new(SystemClock)).unwrap();
            let model = &config.agents[0].model;
            assert_eq!(model.provider, provider);
            assert!(models.knows(model), "{model}");
        }
    }
}
