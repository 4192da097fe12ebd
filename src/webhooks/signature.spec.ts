import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { generateSecret, secretHint, sign, signatureHeader, signingKey, type Message } from './signature.js';

const now = (): number => Math.floor(Date.now() / 1000);

const headersOf = ({ id, timestamp }: Message, signature: string): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
});

const message: Message = {
  id: 'evt_3bqFzJ0WnXrT5c8HsVdK2m',
  timestamp: now(),
  body: '{"event":"order.completed"}',
};

describe('signature', () => {
  it('equals the example of the Standard Webhooks specification', () => {
    const example = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1614265330,
      body: '{"test": 2432232314}',
    };
    expect(sign(example, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('is verified by the published library, with any body and any generated secret', () => {
    fc.assert(
      fc.property(fc.json(), fc.constant(null).map(generateSecret), (body, secret) => {
        const signed = { ...message, body };
        expect(new Webhook(secret).verify(body, headersOf(signed, sign(signed, secret)))).toEqual(JSON.parse(body));
      }),
    );
  });

  it('is verified by the published library with a secret that is plain text', () => {
    const secret = 'a-secret-of-your-own';
    const verifier = new Webhook(secret, { format: 'raw' });
    expect(verifier.verify(message.body, headersOf(message, sign(message, secret)))).toBeTruthy();
  });

  it('is wrong after any change of the id, the time, the body, the secret or the signature', () => {
    const secret = generateSecret();
    const signature = sign(message, secret);
    const verify = (changed: Message, header: string, key = secret): unknown =>
      new Webhook(key).verify(changed.body, headersOf(changed, header));
    expect(() => verify(message, signature)).not.toThrow();
    expect(() => verify({ ...message, timestamp: message.timestamp + 1 }, signature)).toThrow();
    expect(() => verify(message, signature, generateSecret())).toThrow();
    const flip = (text: string, at: number): string =>
      text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
    for (let at = 0; at < message.id.length; at++) {
      expect(() => verify({ ...message, id: flip(message.id, at) }, signature)).toThrow();
    }
    for (let at = 0; at < message.body.length; at++) {
      expect(() => verify({ ...message, body: flip(message.body, at) }, signature)).toThrow();
    }
    for (let at = 0; at < signature.length; at++) {
      expect(() => verify(message, flip(signature, at))).toThrow();
    }
  });

  it('is sent beside that of the replaced secret, and either one verifies', () => {
    const [current, previous] = [generateSecret(), generateSecret()];
    const header = signatureHeader(message, [current, previous]);
    expect(header.split(' ')).toEqual([sign(message, current), sign(message, previous)]);
    for (const secret of [current, previous]) {
      expect(() => new Webhook(secret).verify(message.body, headersOf(message, header))).not.toThrow();
    }
    expect(() => new Webhook(generateSecret()).verify(message.body, headersOf(message, header))).toThrow();
  });

  it('covers the UTF-8 bytes of the body', () => {
    const body = '{"name":"ผู้เล่น 🎮"}';
    const expected = createHmac('sha256', 'plain text as a secret')
      .update(Buffer.concat([Buffer.from(`${message.id}.${message.timestamp}.`), Buffer.from(body)]))
      .digest('base64');
    expect(sign({ ...message, body }, 'plain text as a secret')).toBe(`v1,${expected}`);
  });
});

describe('signing key', () => {
  it.each([
    ['whsec_AAECAwQFBgcICQoLDA0ODw==', Buffer.from([...Array(16).keys()])],
    ['whsec_AAECAwQFBgcICQoLDA0O', Buffer.from([...Array(15).keys()])],
  ])('decodes %s', (secret, key) => {
    expect(signingKey(secret)).toEqual(key);
  });

  it.each([
    'a-secret-of-your-own',
    'whsec_AAECAwQFBgcICQoLDA0ODw',
    'whsec_AAECAwQFBgcICQoLDA0ODw=',
    'whsec_AAEC-wQF_gcICQoL',
    'whsec_AAECAwQF BgcI',
    'WHSEC_AAECAwQFBgcICQoLDA0ODw==',
    'whsec_',
    'AAECAwQFBgcICQoLDA0ODw==',
    'whsec_=AAA',
    'ความลับของร้านค้าของฉัน',
  ])('takes %s as its UTF-8 bytes', (secret) => {
    expect(signingKey(secret)).toEqual(Buffer.from(secret, 'utf8'));
  });
});

describe('secret', () => {
  it('is generated as whsec_ and 32 random bytes, a new one each time', () => {
    const secrets = Array.from({ length: 100 }, generateSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(signingKey(secret)).toHaveLength(32);
    }
  });

  it('has a hint of its first 8 characters, none of them half a surrogate pair', () => {
    expect(secretHint('whsec_MfKQ9r8GKYqrTwjU')).toBe('whsec_Mf...');
    expect(secretHint('🎮🎮🎮🎮🎮🎮🎮🎮🎮🎮🎮🎮🎮🎮🎮🎮')).toBe('🎮🎮🎮🎮🎮🎮🎮🎮...');
  });
});
