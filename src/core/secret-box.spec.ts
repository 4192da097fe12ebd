import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { placeOf, SecretBox } from './secret-box.js';

/** As 0.1.0 sealed `whsec_of_before` under a key of 32 sevens. */
const OF_BEFORE = '014bb06f8e09090909090909090909090950edf7f1ddafae07ff00ae5e8998c640f970eda7a659cdfe022ab18744f34b';

const PLACE = placeOf('webhooks.secret', 7);

describe('secret box', () => {
  const box = new SecretBox(randomBytes(32));

  it('opens what it sealed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (secret) => {
        expect(box.open(box.seal(secret, PLACE), PLACE)).toBe(secret);
        expect(box.open(box.sealUnbound(secret), PLACE)).toBe(secret);
      }),
    );
  });

  it('never seals the same way twice', () => {
    expect(box.seal('whsec_same', PLACE)).not.toEqual(box.seal('whsec_same', PLACE));
  });

  it.each([
    ['for a place', () => box.seal('a secret of some length', PLACE)],
    ['for none', () => box.sealUnbound('a secret of some length')],
  ])('notices every changed byte of what it sealed %s', (_where, seal) => {
    const sealed = seal();
    for (let at = 0; at < sealed.length; at++)
      for (const bits of [1, 3]) {
        const changed = Buffer.from(sealed);
        changed[at] = (changed[at] ?? 0) ^ bits;
        expect(() => box.open(changed, PLACE)).toThrow(/not readable/);
      }
  });

  it('opens nowhere else what it sealed for one place, also after it was opened there', () => {
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

  it('says that a value belongs to another key', () => {
    expect(() => new SecretBox(randomBytes(32)).open(box.seal('x', PLACE), PLACE)).toThrow(/another SECRETS_KEY/);
  });

  it('opens with a previous key what it did not seal itself, and knows that this is outdated', () => {
    const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
    const sealed = new SecretBox(oldKey).seal('whsec_kept', PLACE);
    const rotated = new SecretBox(newKey, [oldKey]);
    expect(rotated.open(sealed, PLACE)).toBe('whsec_kept');
    expect(rotated.isOutdated(sealed)).toBe(true);
    expect(rotated.isOutdated(rotated.seal('whsec_kept', PLACE))).toBe(false);
    expect(() => new SecretBox(newKey).open(sealed, PLACE)).toThrow(/another SECRETS_KEY/);
  });

  it('knows that what is sealed for no place is outdated, and opens what the version before sealed', () => {
    const key = Buffer.alloc(32, 7);
    const ofBefore = Buffer.from(OF_BEFORE, 'hex');
    const later = new SecretBox(key);
    expect(later.open(ofBefore, PLACE)).toBe('whsec_of_before');
    expect(later.isOutdated(ofBefore)).toBe(true);
    expect(later.isOutdated(later.sealUnbound('x'))).toBe(true);
  });
});
