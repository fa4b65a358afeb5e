//! Checks on encodings that crypto libraries don't agree on, made before a library sees them.

use crate::CryptoError;

/// The field's prime, 2^255 - 19, little-endian.
const ED25519_P: [u8; 32] = {
    let mut p = [0xff; 32];
    p[0] = 0xed;
    p[31] = 0x7f;
    p
};

/// The y-coordinates of the eight points of small order, little-endian: 1, -1, 0 and those of
/// order 8. Two points share each y but the first two, told apart by the sign of x.
const ED25519_SMALL_ORDER_Y: [[u8; 32]; 5] = [
    {
        let mut one = [0; 32];
        one[0] = 1;
        one
    },
    {
        let mut minus_one = ED25519_P;
        minus_one[0] -= 1;
        minus_one
    },
    [0; 32],
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98,
        0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53,
        0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67,
        0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac,
        0x03, 0x7a,
    ],
];

/// Refuses an Ed25519 point encoding (a public key, or a signature's `R`) that is not canonical or
/// that is of small order. Whether it is on the curve is the library's business.
///
/// # Errors
///
/// [`CryptoError::Rejected`].
pub fn ed25519_point(encoded: &[u8; 32]) -> Result<(), CryptoError> {
    let mut y = *encoded;
    y[31] &= 0x7f;
    let canonical = y.iter().rev().lt(ED25519_P.iter().rev());
    if canonical && !ED25519_SMALL_ORDER_Y.contains(&y) {
        Ok(())
    } else {
        Err(CryptoError::Rejected)
    }
}

/// Refuses an Ed25519 signature that isn't 64 bytes or whose `R` fails [`ed25519_point`].
///
/// # Errors
///
/// [`CryptoError::Rejected`].
pub fn ed25519_signature(signature: &[u8]) -> Result<&[u8; 64], CryptoError> {
    let signature: &[u8; 64] = signature.try_into().map_err(|_| CryptoError::Rejected)?;
    let r: &[u8; 32] = signature.first_chunk().ok_or(CryptoError::Rejected)?;
    ed25519_point(r)?;
    Ok(signature)
}

/// Refuses an Ed448 point encoding (a public key, or a signature's `R`) that is not canonical or
/// that is of small order. Whether it is on the curve and in the prime-order subgroup is the
/// library's business.
///
/// # Errors
///
/// [`CryptoError::Rejected`].
pub fn ed448_point(encoded: &[u8; 57]) -> Result<(), CryptoError> {
    let [y @ .., sign] = encoded;
    let canonical = y.iter().rev().lt(ED448_P.iter().rev()) && sign & 0x7f == 0;
    if canonical && !ED448_SMALL_ORDER_Y.contains(y) { Ok(()) } else { Err(CryptoError::Rejected) }
}

/// The field's prime, 2^448 - 2^224 - 1, little-endian.
const ED448_P: [u8; 56] = {
    let mut p = [0xff; 56];
    p[28] = 0xfe;
    p
};

/// The y-coordinates of the four points of small order: 1, -1 and, twice, 0.
const ED448_SMALL_ORDER_Y: [[u8; 56]; 3] = [
    {
        let mut one = [0; 56];
        one[0] = 1;
        one
    },
    {
        let mut minus_one = ED448_P;
        minus_one[0] -= 1;
        minus_one
    },
    [0; 56],
];

/// Refuses an Ed448 signature that isn't 114 bytes or whose `R` fails [`ed448_point`].
///
/// # Errors
///
/// [`CryptoError::Rejected`].
pub fn ed448_signature(signature: &[u8]) -> Result<&[u8; 114], CryptoError> {
    let signature: &[u8; 114] = signature.try_into().map_err(|_| CryptoError::Rejected)?;
    let r: &[u8; 57] = signature.first_chunk().ok_or(CryptoError::Rejected)?;
    ed448_point(r)?;
    Ok(signature)
}

/// Refuses a point of a NIST curve that isn't in uncompressed form: libraries also take the
/// compressed and hybrid forms, or a whole SubjectPublicKeyInfo.
///
/// # Errors
///
/// [`CryptoError::Rejected`].
pub fn uncompressed_point(encoded: &[u8], field_length: usize) -> Result<(), CryptoError> {
    if encoded.len() == 1 + 2 * field_length && encoded.first() == Some(&4) {
        Ok(())
    } else {
        Err(CryptoError::Rejected)
    }
}

/// Refuses the X25519 public keys of small order, of either curve or twist, in every encoding: the
/// ones whose shared secret is all zero whatever the private key.
///
/// # Errors
///
/// [`CryptoError::Rejected`].
pub fn x25519_public_key(public: &[u8]) -> Result<&[u8; 32], CryptoError> {
    let public: &[u8; 32] = public.try_into().map_err(|_| CryptoError::Rejected)?;
    let mut u = *public;
    u[31] &= 0x7f; // RFC 7748: the top bit is ignored
    let small = X25519_SMALL_ORDER_U.contains(&u);
    if small { Err(CryptoError::Rejected) } else { Ok(public) }
}

/// [`x25519_public_key`] for X448.
///
/// # Errors
///
/// [`CryptoError::Rejected`].
pub fn x448_public_key(public: &[u8]) -> Result<&[u8; 56], CryptoError> {
    let public: &[u8; 56] = public.try_into().map_err(|_| CryptoError::Rejected)?;
    if X448_SMALL_ORDER_U.contains(public) { Err(CryptoError::Rejected) } else { Ok(public) }
}

/// u-coordinates of the points of order 1, 2 and 4 on the curve and its twist: 0, 1 and -1, then
/// those below 2^448 that reduce to one of them: p and p + 1.
const X448_SMALL_ORDER_U: [[u8; 56]; 5] = [
    [0; 56],
    {
        let mut one = [0; 56];
        one[0] = 1;
        one
    },
    {
        let mut minus_one = ED448_P;
        minus_one[0] -= 1;
        minus_one
    },
    ED448_P,
    {
        // p ends in 28 bytes of ff, which carry.
        let mut p_plus_one = [0; 56];
        let mut at = 28;
        while at < 56 {
            p_plus_one[at] = 0xff;
            at += 1;
        }
        p_plus_one
    },
];

/// u-coordinates of the points of order 1, 2, 4 and 8 on the curve and its twist: 0, 1, -1 and the
/// two of order 8, then those below 2^255 that reduce to one of them: p and p + 1.
const X25519_SMALL_ORDER_U: [[u8; 32]; 7] = [
    [0; 32],
    {
        let mut one = [0; 32];
        one[0] = 1;
        one
    },
    {
        let mut minus_one = ED25519_P;
        minus_one[0] -= 1;
        minus_one
    },
    [
        0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4,
        0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49,
        0xb8, 0x00,
    ],
    [
        0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef,
        0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f,
        0x11, 0x57,
    ],
    ED25519_P,
    {
        let mut p_plus_one = ED25519_P;
        p_plus_one[0] += 1;
        p_plus_one
    },
];
