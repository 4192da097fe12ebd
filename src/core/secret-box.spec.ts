import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SecretBox } from './secret-box.js';

describe('secret box', () => {
  const box = new SecretBox(randomBytes(32));

  it('opens what it sealed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (secret) => {
        expect(box.open(box.seal(secret))).toBe(secret);
      }),
    );
  });

  it('never seals the same way twice', () => {
    expect(box.seal('whsec_same')).not.toEqual(box.seal('whsec_same'));
  });

  it('notices every changed byte', () => {
    const sealed = box.seal('a secret of some length');
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => box.open(changed)).toThrow();
    }
  });

  it('says that a value belongs to another key', () => {
    expect(() => new SecretBox(randomBytes(32)).open(box.seal('x'))).toThrow(/another SECRETS_KEY/);
  });

  it('opens with a previous key what it did not seal itself, and knows that this is outdated', () => {
    const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
    const sealed = new SecretBox(oldKey).seal('whsec_kept');
    const rotated = new SecretBox(newKey, [oldKey]);
    expect(rotated.open(sealed)).toBe('whsec_kept');
    expect(rotated.isOutdated(sealed)).toBe(true);
    expect(rotated.isOutdated(rotated.seal('whsec_kept'))).toBe(false);
    expect(() => new SecretBox(newKey).open(sealed)).toThrow(/another SECRETS_KEY/);
  });
});
