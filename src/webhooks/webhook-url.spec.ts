import { describe, expect, it } from '@jest/globals';
import { urlProblem } from './webhook-url.js';

describe('webhook URL', () => {
  it.each([
    'https://shop.example/webhooks?a=b&c=%20',
    'http://shop.example',
    'HTTPS://Shop.Example:8443/',
    'https://[2606:4700:4700::1111]/',
    'https://ร้าน.example/ทาง',
    'https://shop.example/a@b?c=@',
    `https://shop.example/${'x'.repeat(2048 - 21)}`,
  ])('takes %s', (url) => {
    expect(urlProblem(url)).toBeNull();
  });

  it.each([
    '',
    'shop.example',
    '/path',
    '//shop.example/',
    'http:shop.example',
    'http:/shop.example',
    'http:///shop.example',
    'http://',
    'https://?',
    'ftp://shop.example',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'gopher://shop.example',
    ' https://shop.example',
    'https://shop.example ',
    'https://shop.example/a b',
    'https://shop.ex\nample',
    'https://shop\t.example',
    'https://shop.example\\@evil.example',
    'https:\\\\shop.example',
    'https://shop.example/\0',
    'https://shop.example:99999',
    'https://shop.example:port',
    'https://[::1',
    'https://%',
    'https://a..b\u0000/',
    'https://1.2.3.4.5.0x/',
    `https://shop.example/\ud800`,
  ])('refuses %j', (url) => {
    expect(urlProblem(url)).toMatch(/absolute http or https URL/);
  });

  it('refuses more than 2048 characters', () => {
    expect(urlProblem(`https://shop.example/${'x'.repeat(2048 - 20)}`)).toMatch(/2048/);
  });

  it.each([
    'https://user@shop.example',
    'https://user:password@shop.example/',
    'https://@shop.example/',
    'https://:@x/',
  ])('refuses the credentials in %s', (url) => {
    expect(urlProblem(url)).toMatch(/credentials/);
  });

  it.each(['https://shop.example/#part', 'https://shop.example#', 'https://shop.example/?a#'])(
    'refuses the fragment in %s',
    (url) => {
      expect(urlProblem(url)).toMatch(/fragment/);
    },
  );
});
