import { expect, it } from '@jest/globals';
import { eachChannel } from './each-channel.js';

it('gives every channel its turn, and names the first that failed', async () => {
  const seen: string[] = [];
  const act = ({ code }: { code: string }): Promise<void> => {
    seen.push(code);
    return code === 'opn' ? Promise.resolve() : Promise.reject(new Error('no key'));
  };
  const channels = ['scb', 'opn', 'kbank'].map((code) => ({ code }));
  await expect(eachChannel(channels, act)).rejects.toThrow('channel scb: no key');
  expect(seen).toEqual(['scb', 'opn', 'kbank']);
  await eachChannel([{ code: 'opn' }], act);
});
