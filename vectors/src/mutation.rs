//! Cases with one thing changed, which has to be noticed.
//!
//! A field is named by its place in the case with the numbers left out: `epochs[].exporter.secret`
//! is the exporter's secret of any epoch, and `tree_hashes[-1]` the list with its last entry
//! missing.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// A change of one field of one case.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// The case's place in the file.
    pub case: usize,
    /// The field's name.
    pub field: String,
    place: Vec<Step>,
    change: Change,
    seed: usize,
}

#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Index(usize),
}

#[derive(Clone, Copy, Debug)]
enum Change {
    /// A byte of a string, or a number by one, or something in place of nothing.
    Flip,
    /// The last entry of a list.
    Shorten,
}

/// For each field in the file so many mutations, spread evenly over its occurrences; all of them if
/// there are no more. The same ones each time.
#[must_use]
pub fn sample(cases: &[Value], per_field: usize) -> Vec<Mutation> {
    let mut fields = BTreeMap::<String, Vec<Mutation>>::new();
    for (index, case) in cases.iter().enumerate() {
        collect(index, case, &mut String::new(), &mut Vec::new(), &mut fields);
    }
    let mut sample = Vec::new();
    for occurrences in fields.into_values() {
        let count = occurrences.len().min(per_field);
        for number in 0..count {
            let mut mutation = occurrences[number * occurrences.len() / count].clone();
            // Spread over the bytes as well.
            mutation.seed = number.wrapping_mul(0x9e37_79b1) >> 3;
            sample.push(mutation);
        }
    }
    sample
}

fn collect(
    case: usize,
    value: &Value,
    field: &mut String,
    place: &mut Vec<Step>,
    fields: &mut BTreeMap<String, Vec<Mutation>>,
) {
    let length = field.len();
    let mut found = |field: String, place: &[Step], change| {
        let mutation =
            Mutation { case, field: field.clone(), place: place.to_vec(), change, seed: 0 };
        fields.entry(field).or_default().push(mutation);
    };
    match value {
        Value::Object(entries) => {
            for (key, entry) in entries {
                if !field.is_empty() {
                    field.push('.');
                }
                field.push_str(key);
                place.push(Step::Key(key.clone()));
                collect(case, entry, field, place, fields);
                place.pop();
                field.truncate(length);
            }
        }
        Value::Array(entries) => {
            if !entries.is_empty() {
                found(format!("{field}[-1]"), place, Change::Shorten);
            }
            for (index, entry) in entries.iter().enumerate() {
                field.push_str("[]");
                place.push(Step::Index(index));
                collect(case, entry, field, place, fields);
                place.pop();
                field.truncate(length);
            }
        }
        _ => found(field.clone(), place, Change::Flip),
    }
}

impl Mutation {
    /// The case with the change made.
    #[must_use]
    pub fn apply(&self, case: &Value) -> Value {
        self.replace(case, |value| self.changed(value))
    }

    /// The case with the change made to what is expected of the field only, where it is also what
    /// is read.
    #[must_use]
    pub fn apply_to_expected(&self, case: &Value) -> Value {
        self.replace(case, |value| json!({"given": value, "expected": self.changed(value)}))
    }

    fn replace(&self, case: &Value, with: impl Fn(&Value) -> Value) -> Value {
        let mut mutated = case.clone();
        let mut target = Some(&mut mutated);
        for step in &self.place {
            target = target.and_then(|value| match step {
                Step::Key(key) => value.get_mut(key),
                Step::Index(index) => value.get_mut(index),
            });
        }
        if let Some(target) = target {
            *target = with(target);
        }
        mutated
    }

    fn changed(&self, value: &Value) -> Value {
        match (self.change, value) {
            (Change::Shorten, Value::Array(entries)) => {
                entries.iter().take(entries.len().saturating_sub(1)).cloned().collect()
            }
            (_, Value::String(text)) => flipped(text, self.seed).into(),
            (_, Value::Number(number)) => {
                number.as_u64().map_or(Value::Null, |number| json!(number ^ 1))
            }
            _ => json!("00"),
        }
    }
}

/// One byte turned over: in hexadecimal text the byte that it stands for, in other text a letter.
fn flipped(text: &str, seed: usize) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let is_hex = bytes.len().is_multiple_of(2) && bytes.iter().all(u8::is_ascii_hexdigit);
    if bytes.is_empty() {
        return "00".into();
    }
    if !is_hex {
        let at = seed % bytes.len();
        bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
        return bytes.iter().map(|byte| char::from(*byte)).collect();
    }
    let at = seed % (bytes.len() / 2);
    for digit in &mut bytes[2 * at..2 * at + 2] {
        let value = char::from(*digit).to_digit(16).unwrap_or(0) ^ 0xf;
        *digit = char::from_digit(value, 16).map_or(b'0', |digit| digit as u8);
    }
    bytes.iter().map(|byte| char::from(*byte)).collect()
}
