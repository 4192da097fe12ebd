import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { placeOf, SecretBox } from './secret-box.js';

/** `whsec_of_before`, sealed by version 0.1.0 under a key of 32 sevens. */
const OF_BEFORE = '014bb06f8e09090909090909090909090950edf7f1ddafae07ff00ae5e8998c640f970eda7a659cdfe022ab18744f34b';

const PLACE = placeOf('webhooks.secret', 7);

describe('secret box', () => {
  const box = new SecretBox(randomBytes(32));

  it('unseals its own values', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (secret) => {
        expect(box.open(box.seal(secret, PLACE), PLACE)).toBe(secret);
        expect(box.open(box.sealUnbound(secret), PLACE)).toBe(secret);
      }),
    );
  });

  it('seals the same value differently each time', () => {
    expect(box.seal('whsec_same', PLACE)).not.toEqual(box.seal('whsec_same', PLACE));
  });

  it.each([
    ['for a place', () => box.seal('a secret of some length', PLACE)],
    ['for none', () => box.sealUnbound('a secret of some length')],
  ])('detects every changed byte of a value that it sealed %s', (_where, seal) => {
    const sealed = seal();
    for (let at = 0; at < sealed.length; at++)
      for (const bits of [1, 3]) {
        const changed = Buffer.from(sealed);
        changed[at] = (changed[at] ?? 0) ^ bits;
        expect(() => box.open(changed, PLACE)).toThrow(/not readable/);
      }
  });

  it('unseals a value only at the place for which it was sealed, even after it was unsealed there', () => {
    const sealed = box.seal('whsec_kept', PLACE);
    expect(box.open(sealed, PLACE)).toBe('whsec_kept');
    for (const other of [
      placeOf('webhooks.secret', 8),
      placeOf('webhooks.secret', 7, null),
      placeOf('operators.totp_sealed', 7),
      placeOf('webhooks.secret","7'),
    ])
      expect(() => box.open(sealed, other)).toThrow(/not where it belongs/);
  });

  it('reports that a value belongs to another key', () => {
    expect(() => new SecretBox(randomBytes(32)).open(box.seal('x', PLACE), PLACE)).toThrow(/another SECRETS_KEY/);
  });

  it('unseals values of a previous key, and reports that they are outdated', () => {
    const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
    const sealed = new SecretBox(oldKey).seal('whsec_kept', PLACE);
    const rotated = new SecretBox(newKey, [oldKey]);
    expect(rotated.open(sealed, PLACE)).toBe('whsec_kept');
    expect(rotated.isOutdated(sealed)).toBe(true);
    expect(rotated.isOutdated(rotated.seal('whsec_kept', PLACE))).toBe(false);
    expect(() => new SecretBox(newKey).open(sealed, PLACE)).toThrow(/another SECRETS_KEY/);
  });

  it('unseals values of the previous version, which have no place, and reports that they are outdated', () => {
    const key = Buffer.alloc(32, 7);
    const ofBefore = Buffer.from(OF_BEFORE, 'hex');
    const later = new SecretBox(key);
    expect(later.open(ofBefore, PLACE)).toBe('whsec_of_before');
    expect(later.isOutdated(ofBefore)).toBe(true);
    expect(later.isOutdated(later.sealUnbound('x'))).toBe(true);
  });
});
