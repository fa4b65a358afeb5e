//! Application data in the GroupContext (MLS extensions draft, "Updating Application Data in the
//! GroupContext").

use std::collections::BTreeMap;

use super::proposals::{Checked, Listed, View};
use crate::{
    Error, Result,
    types::{
        AppDataDictionary, AppDataUpdate, AppDataUpdateOperation, ComponentId, ExtensionType,
        Extensions, ProposalType, RequiredCapabilities,
    },
};

/// An AppDataUpdate by itself: its component is one that the application knows.
pub(super) fn check(view: &View<'_>, update: &AppDataUpdate) -> Result<()> {
    if view.application.knows_component(update.component_id) {
        Ok(())
    } else {
        Err(Error::invalid("AppDataUpdate: a component that the application doesn't know"))
    }
}

/// A list: in a group that requires AppDataUpdate, nothing else changes the dictionary.
pub(super) fn check_list(view: &View<'_>, list: &[Listed]) -> Result<()> {
    let new = list.iter().find_map(|listed| match &listed.checked {
        Checked::Extensions(extensions) => Some(extensions),
        _ => None,
    });
    let (Some(new), old) = (new, &view.context.extensions) else {
        return Ok(());
    };
    let required: Option<RequiredCapabilities> = old.find()?;
    let is_required =
        required.is_some_and(|r| r.proposal_types.contains(&ProposalType::APP_DATA_UPDATE));
    let dictionary = ExtensionType::APP_DATA_DICTIONARY;
    if is_required && new.data(dictionary) != old.data(dictionary) {
        return Err(Error::invalid(
            "AppDataUpdate: GroupContextExtensions that change the app_data_dictionary",
        ));
    }
    Ok(())
}

/// Applies the AppDataUpdates of a list, in its order, to extensions that are new or not; whether
/// there are any.
pub(super) fn apply(view: &View<'_>, list: &[Listed], extensions: &mut Extensions) -> Result<bool> {
    let mut by_component = BTreeMap::<ComponentId, Vec<&AppDataUpdateOperation>>::new();
    for listed in list {
        if let Checked::AppDataUpdate(update) = &listed.checked {
            by_component.entry(update.component_id).or_default().push(&update.operation);
        }
    }
    if by_component.is_empty() {
        return Ok(false);
    }
    let mut dictionary: AppDataDictionary = extensions.find()?.unwrap_or_default();
    for (component_id, operations) in by_component {
        apply_to(view, &mut dictionary, component_id, &operations)?;
    }
    extensions.put(&dictionary)?;
    Ok(true)
}

fn apply_to(
    view: &View<'_>,
    dictionary: &mut AppDataDictionary,
    component_id: ComponentId,
    operations: &[&AppDataUpdateOperation],
) -> Result<()> {
    if let [AppDataUpdateOperation::Remove] = operations {
        return if dictionary.remove(component_id) {
            Ok(())
        } else {
            Err(Error::invalid("AppDataUpdate: removed is a component that has no data"))
        };
    }
    let updates: Option<Vec<&[u8]>> = operations
        .iter()
        .map(|operation| match operation {
            AppDataUpdateOperation::Update(update) => Some(update.as_slice()),
            AppDataUpdateOperation::Remove => None,
        })
        .collect();
    let updates = updates.ok_or(Error::invalid(
        "AppDataUpdate: a component is removed and something else happens to it",
    ))?;
    let old = dictionary.get(component_id);
    let new = view.application.update_component(component_id, old, &updates);
    let new = new.ok_or(Error::invalid("AppDataUpdate: the application rejects an update"))?;
    dictionary.set(component_id, new);
    Ok(())
}
