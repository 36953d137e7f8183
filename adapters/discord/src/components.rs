//! The engine's buttons as Discord's rows of buttons and menus. Pure.

use pensive_contract::outward::Button;
use serenity::all::ButtonStyle;
use serenity::builder::{
    CreateActionRow, CreateButton, CreateSelectMenu, CreateSelectMenuKind, CreateSelectMenuOption,
};

/// Limits of components (<https://docs.discord.com/developers/components/reference>).
const MOST_ROWS: usize = 5;
const MOST_IN_ROW: usize = 5;
const LONGEST_LABEL: usize = 80;
const LONGEST_ID: usize = 100;
const MOST_OPTIONS: usize = 25;
const LONGEST_OPTION: usize = 100;

/// What stands side by side on a telephone, in characters; each button has an edge.
const WIDTH: usize = 40;
const EDGE: usize = 4;
/// More buttons, or more rows of them, are chosen from a menu.
const MOST_BUTTONS: usize = 10;
const MOST_ROWS_OF_BUTTONS: usize = 3;

/// Before what holds, as the engine marks it.
const MARK: &str = "✓ ";
/// Before the number of an answer in the making, in the data of the button that stops it.
pub(crate) const HALT: &str = "halt:";

/// The rows below a message; none where there is nothing to press. What Discord would refuse is left out.
pub(crate) fn rows(buttons: &[Button]) -> Vec<CreateActionRow> {
    let buttons = fitting(buttons);
    let rows = side_by_side(&buttons);
    if buttons.len() <= MOST_BUTTONS && rows.len() <= MOST_ROWS_OF_BUTTONS {
        return rows.into_iter().map(row).collect();
    }
    let (values, others): (Vec<&Button>, Vec<&Button>) = buttons.iter().partition(|button| is_value(button));
    let rows = side_by_side(&others);
    let room = MOST_ROWS - rows.len().min(MOST_ROWS);
    if values.len() > room * MOST_OPTIONS {
        tracing::warn!(buttons = values.len(), "more values than menus hold; the last are left out");
    }
    let menus = values.chunks(MOST_OPTIONS).take(room).enumerate().map(|(place, values)| menu(place, values));
    menus.chain(rows.into_iter().map(row)).take(MOST_ROWS).collect()
}

/// The buttons that Discord takes, each once.
fn fitting(buttons: &[Button]) -> Vec<&Button> {
    let mut fitting: Vec<&Button> = Vec::with_capacity(buttons.len());
    for button in buttons {
        let twice = fitting.iter().any(|other| other.data == button.data);
        let (label, data) = (button.label.chars().count(), button.data.chars().count());
        if twice || !(1..=LONGEST_LABEL).contains(&label) || !(1..=LONGEST_ID).contains(&data) {
            tracing::warn!(label, data, twice, "a button does not fit and is left out");
        } else {
            fitting.push(button);
        }
    }
    fitting
}

/// Whether it is one of several values, and no way to others and no deed.
fn is_value(button: &Button) -> bool {
    button.label.chars().any(char::is_alphanumeric) && !button.data.starts_with(HALT)
}

/// The buttons in rows, each as full as may be.
fn side_by_side<'a>(buttons: &[&'a Button]) -> Vec<Vec<&'a Button>> {
    let mut rows: Vec<Vec<&Button>> = Vec::new();
    let mut left = 0;
    for &button in buttons {
        let width = button.label.chars().count() + EDGE;
        match rows.last_mut() {
            Some(row) if row.len() < MOST_IN_ROW && width <= left => row.push(button),
            _ => {
                rows.push(vec![button]);
                left = WIDTH;
            }
        }
        left = left.saturating_sub(width);
    }
    rows
}

fn row(buttons: Vec<&Button>) -> CreateActionRow {
    let button = |button: &Button| CreateButton::new(&button.data).label(&button.label).style(style(button));
    CreateActionRow::Buttons(buttons.into_iter().map(button).collect())
}

fn style(button: &Button) -> ButtonStyle {
    if button.data.starts_with(HALT) {
        ButtonStyle::Danger
    } else if button.label.starts_with(MARK) {
        ButtonStyle::Primary
    } else {
        ButtonStyle::Secondary
    }
}

fn menu(place: usize, values: &[&Button]) -> CreateActionRow {
    let option = |button: &&Button| {
        let (name, holds) = match button.label.strip_prefix(MARK) {
            Some(name) => (name, true),
            None => (button.label.as_str(), false),
        };
        let name: String = name.chars().take(LONGEST_OPTION).collect();
        CreateSelectMenuOption::new(name, &button.data).default_selection(holds)
    };
    let options = values.iter().map(option).collect();
    let menu = CreateSelectMenu::new(format!("menu:{place}"), CreateSelectMenuKind::String { options });
    CreateActionRow::SelectMenu(menu.placeholder("Pick one"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn button(label: &str, data: &str) -> Button {
        Button { label: label.to_owned(), data: data.to_owned() }
    }

    /// Rows by their labels: buttons in brackets with the sign of their style, options of a menu in braces.
    fn shape(buttons: &[Button]) -> String {
        let json = serde_json::to_value(rows(buttons)).unwrap();
        let one = |component: &Value| match component["type"].as_u64().unwrap() {
            2 => {
                let style = match component["style"].as_u64().unwrap() {
                    1 => "!",
                    2 => "",
                    4 => "×",
                    other => panic!("style {other}"),
                };
                format!("[{style}{}]", component["label"].as_str().unwrap())
            }
            3 => {
                let option = |option: &Value| {
                    let holds = if option["default"] == true { "!" } else { "" };
                    format!("{holds}{}", option["label"].as_str().unwrap())
                };
                let options: Vec<_> = component["options"].as_array().unwrap().iter().map(option).collect();
                format!("{{{}}}", options.join("|"))
            }
            other => panic!("component {other}"),
        };
        let row = |row: &Value| {
            assert_eq!(row["type"], 1);
            row["components"].as_array().unwrap().iter().map(one).collect::<String>()
        };
        json.as_array().unwrap().iter().map(row).collect::<Vec<_>>().join(" ")
    }

    fn of(labels: &str) -> String {
        let labels = labels.split('|').filter(|label| !label.is_empty()).enumerate();
        shape(&labels.map(|(place, label)| button(label, &format!("pick:{place}"))).collect::<Vec<_>>())
    }

    #[test]
    fn few_values_are_buttons() {
        let check = |labels: &str, expected: &str| assert_eq!(of(labels), expected);
        check("", "");
        check("Run it again", "[Run it again]");
        check("Allow once|Deny", "[Allow once][Deny]");
        check("✓ on|off|auto|Default (on)", "[!✓ on][off][auto][Default (on)]");
        check(
            "off|minimal|low|✓ medium|high|Default (medium)",
            "[off][minimal][low][!✓ medium] [high][Default (medium)]",
        );
    }

    #[test]
    fn many_values_or_long_ones_are_a_menu_with_the_ways_on_below() {
        let check = |labels: &str, expected: &str| assert_eq!(of(labels), expected);
        check("1|2|3|4|5|6|7|8|✓ Default (p/m)|‹|›", "{1|2|3|4|5|6|7|8|!Default (p/m)} [‹][›]");
        check(
            "prov/a-model-with-a-long-name|prov/another-with-a-long-name|✓ prov/one-more-with-a-long-name|Default (prov/another-with-a-long-name)",
            "{prov/a-model-with-a-long-name|prov/another-with-a-long-name|!prov/one-more-with-a-long-name|Default (prov/another-with-a-long-name)}",
        );
        let numbers: Vec<String> = (0..60).map(|number| number.to_string()).collect();
        let shown = of(&numbers.join("|"));
        let menus: Vec<usize> = shown.split(' ').map(|menu| menu.split('|').count()).collect();
        assert_eq!(menus, [25, 25, 10]);
        let numbers: Vec<String> = (0..200).map(|number| number.to_string()).collect();
        assert_eq!(of(&numbers.join("|")).split(' ').count(), 5);
    }

    #[test]
    fn to_stop_is_a_button_of_its_own() {
        assert_eq!(shape(&[button("Stop", "halt:7")]), "[×Stop]");
        let mut many: Vec<Button> = (0..11).map(|n| button(&n.to_string(), &format!("x:{n}"))).collect();
        many.push(button("Stop", "halt:7"));
        assert_eq!(shape(&many), "{0|1|2|3|4|5|6|7|8|9|10} [×Stop]");
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let long = "x".repeat(101);
        assert_eq!(
            shape(&[
                button("a", "1"),
                button("b", "1"),
                button("", "2"),
                button("c", ""),
                button("d", &long)
            ]),
            "[a]"
        );
        assert_eq!(shape(&[button(&long, "1")]), "");
    }

    #[test]
    fn they_are_what_discord_takes() {
        let labels = ["✓ a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
        let buttons: Vec<_> = labels.iter().map(|label| button(label, &format!("pick:{label}"))).collect();
        let json = serde_json::to_value(rows(&buttons)).unwrap();
        let menu = &json[0]["components"][0];
        assert_eq!((&menu["custom_id"], &menu["placeholder"]), (&json!("menu:0"), &json!("Pick one")));
        assert_eq!(menu["options"][0], json!({"label": "a", "value": "pick:✓ a", "default": true}));
        let json = serde_json::to_value(rows(&buttons[..2])).unwrap();
        let expected = json!([{"type": 1, "components": [
            {"type": 2, "style": 1, "custom_id": "pick:✓ a", "label": "✓ a", "disabled": false},
            {"type": 2, "style": 2, "custom_id": "pick:b", "label": "b", "disabled": false},
        ]}]);
        assert_eq!(json, expected);
    }
}
