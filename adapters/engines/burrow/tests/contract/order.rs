//! Messages that come again, late, early, or to the wrong place.

use engine_api::{
    AppBytes, Change, CommitBytes, Epoch, Ingested, KeyPackageBytes, RejectReason, WelcomeBytes,
};

use crate::steps::{
    add, assert_agree, assert_caller, assert_peer, assert_received, assert_rejected, change,
    client, each, everything, group_of,
};

#[test]
fn repeated_messages_change_nothing() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let message = clients[0].send(&group, b"once").unwrap();
        assert_received(&mut clients, 0, &group, &message, b"once");
        for client in &mut clients {
            let before = everything(client, &group);
            let outcome = client.ingest_app(&group, &message).unwrap();
            assert_eq!(outcome, Ingested::Duplicate);
            assert_eq!(everything(client, &group), before);
        }

        let staged = clients[0].stage_commit(&group, &Change::Update).unwrap();
        let commit = staged.commit().clone();
        let before = everything(&clients[0], &group);
        let echo = clients[0].ingest_commit(&group, &commit).unwrap();
        assert_eq!(echo, Ingested::Duplicate);
        assert_eq!(everything(&clients[0], &group), before);
        clients[1].ingest_commit(&group, &commit).unwrap();
        clients[0].merge_staged(staged.published()).unwrap();
        for client in &mut clients {
            let before = everything(client, &group);
            let again = client.ingest_commit(&group, &commit).unwrap();
            assert_eq!(again, Ingested::Stale);
            assert_eq!(everything(client, &group), before);
        }
        assert_agree(&clients, &group, 2);
    });
}

#[test]
fn messages_in_any_order() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let messages: Vec<_> =
            (0..=101_u8).map(|n| clients[0].send(&group, &[n]).unwrap()).collect();
        let ben = &mut clients[1];
        let last = ben.ingest_app(&group, &messages[101]).unwrap().applied();
        assert_eq!(last.unwrap().payload, [101]);
        // One more than the tolerance of 100.
        let before = everything(ben, &group);
        assert_eq!(ben.ingest_app(&group, &messages[1]).unwrap(), Ingested::Stale);
        assert_eq!(everything(ben, &group), before);
        for n in (2..101).rev() {
            let message = ben.ingest_app(&group, &messages[n]).unwrap().applied();
            assert_eq!(usize::from(message.unwrap().payload[0]), n);
        }
    });
}

#[test]
fn a_gap_wider_than_the_forward_distance_can_be_closed_later() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let messages: Vec<_> = (0..1002).map(|_| clients[0].send(&group, b"x").unwrap()).collect();
        let ben = &mut clients[1];
        let before = everything(ben, &group);
        let early = ben.ingest_app(&group, &messages[1001]).unwrap();
        assert_eq!(early, Ingested::RetryLater);
        assert_eq!(everything(ben, &group), before);
        assert!(ben.ingest_app(&group, &messages[1]).unwrap().applied().is_some());
        assert!(ben.ingest_app(&group, &messages[1001]).unwrap().applied().is_some());
    });
}

#[test]
fn late_and_early_epochs() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let old: Vec<_> = (0..7)
            .map(|_| {
                let message = clients[0].send(&group, b"late").unwrap();
                change(&mut clients, 0, &group, &Change::Update);
                message
            })
            .collect();
        assert_agree(&clients, &group, 8);
        for (n, message) in old.iter().enumerate() {
            let before = everything(&clients[1], &group);
            let outcome = clients[1].ingest_app(&group, message).unwrap();
            if n < 2 {
                assert_eq!(outcome, Ingested::Stale);
                assert_eq!(everything(&clients[1], &group), before);
            } else {
                assert_eq!(outcome.applied().unwrap().payload, b"late");
                let again = clients[1].ingest_app(&group, message).unwrap();
                assert_eq!(again, Ingested::Duplicate);
            }
        }

        let first = clients[0].stage_commit(&group, &Change::Update).unwrap();
        let commit = first.commit().clone();
        clients[0].merge_staged(first.published()).unwrap();
        let second = clients[0].stage_commit(&group, &Change::Update).unwrap();
        let message = clients[0].send(&group, b"early").unwrap();
        let ben = &mut clients[1];
        let before = everything(ben, &group);
        let outcome = ben.ingest_commit(&group, second.commit()).unwrap();
        assert_eq!(outcome, Ingested::RetryLater);
        let outcome = ben.ingest_app(&group, &message).unwrap();
        assert_eq!(outcome, Ingested::RetryLater);
        assert_eq!(everything(ben, &group), before);
        ben.ingest_commit(&group, &commit).unwrap();
        let early = ben.ingest_app(&group, &message).unwrap().applied();
        assert_eq!(early.unwrap().payload, b"early");
        ben.ingest_commit(&group, second.commit()).unwrap();
        clients[0].merge_staged(second.published()).unwrap();
        assert_agree(&clients, &group, 10);
    });
}

#[test]
fn a_joiner_reads_nothing_older() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let message = clients[0].send(&group, b"before cy").unwrap();
        let cy = client(engine, "cy");
        add(&mut clients, 0, &group, vec![cy]);
        let outcome = clients[2].ingest_app(&group, &message).unwrap();
        assert_eq!(outcome, Ingested::Stale);
        assert_received(&mut clients[..2], 0, &group, &message, b"before cy");
    });
}

#[test]
fn messages_of_another_kind_or_group() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben"]);
        let message = clients[0].send(&group, b"hi").unwrap();
        let staged = clients[0].stage_commit(&group, &Change::Update).unwrap();
        let as_app = AppBytes::new(staged.commit().as_slice().to_vec());
        let as_commit = CommitBytes::new(message.as_slice().to_vec());
        let key_package = clients[1].publish_key_package().unwrap();
        let not_a_message = AppBytes::new(key_package.as_slice().to_vec());

        let (mut others, other_group) = group_of(engine, &["ada", "ben"]);
        let elsewhere = others[0].send(&other_group, b"hi").unwrap();
        let elsewhere_commit = others[0].stage_commit(&other_group, &Change::Update).unwrap();

        let ben = &mut clients[1];
        let before = everything(ben, &group);
        let malformed = RejectReason::Malformed;
        assert_rejected(ben.ingest_app(&group, &as_app), malformed);
        assert_rejected(ben.ingest_commit(&group, &as_commit), malformed);
        assert_rejected(ben.ingest_app(&group, &not_a_message), malformed);
        assert_rejected(ben.ingest_app(&group, &AppBytes::new(vec![])), malformed);
        let misdirected = RejectReason::Misdirected;
        assert_rejected(ben.ingest_app(&group, &elsewhere), misdirected);
        assert_rejected(ben.ingest_commit(&group, elsewhere_commit.commit()), misdirected);
        assert_caller(ben.ingest_app(&other_group, &elsewhere));
        assert_peer(ben.create_group(&[KeyPackageBytes::new(vec![0; 9])]), malformed);
        let commit_as_welcome = WelcomeBytes::new(staged.commit().as_slice().to_vec());
        assert_peer(ben.join_welcome(&commit_as_welcome), malformed);
        assert_eq!(everything(ben, &group), before);

        assert_received(&mut clients, 0, &group, &message, b"hi");
        let outcome = clients[1].ingest_commit(&group, staged.commit()).unwrap();
        assert_eq!(outcome, Ingested::Applied(Epoch(2)));
    });
}

/// The place of one who left has another owner when the message comes.
#[test]
fn a_late_message_is_from_who_sent_it() {
    each(|engine| {
        let (mut clients, group) = group_of(engine, &["ada", "ben", "cy"]);
        let message = clients[1].send(&group, b"last words").unwrap();
        let ben = clients.remove(1);
        let listed = clients[0].members(&group).unwrap()[1].clone();
        assert_eq!(listed.identity, ben.identity());
        change(&mut clients, 0, &group, &Change::Remove(&[listed]));
        let dee = client(engine, "dee");
        add(&mut clients, 0, &group, vec![dee]);
        assert_eq!(clients[2].own_leaf(&group).unwrap().0, 1);
        let restored = engine.restore(&clients[0].snapshot().unwrap()).unwrap();
        let cy = clients.remove(1);
        for mut reader in [restored, cy] {
            let received = reader.ingest_app(&group, &message).unwrap().applied().unwrap();
            assert_eq!(received.sender, ben.identity());
            assert_eq!(received.payload, b"last words");
        }
    });
}
