import { afterEach, describe, expect, it } from '@jest/globals';
import { PASSWORD, USERNAME, WepayBench, type Json } from './wepay-client.js';

const bench = new WepayBench();
afterEach(() => bench.clear());

const PASSWORD_MD5 = 'cdf52443bad28a1a944dbf34abe89550';
const NO_PLAYER = { pay_to_ref1: '0000000000' };

describe('a purchase', () => {
  it('is accepted, charged less than its amount, and succeeds later', async () => {
    const client = await bench.start();
    const answer = await client.buy('REF1', { pay_to_amount: '90.02' });
    expect(answer).toMatchObject({ code: '00000', total_amount: '86.42', balance: '99913.58' });
    const id = answer.transaction_id as string;
    expect(await client.output(id)).toMatchObject({ code: '30004' });
    expect(await client.purchase('REF1')).toMatchObject({ standing: 0, pending: 1, price_debited: '86.42' });

    await client.untilSettled();
    const { output, code } = await client.output(id);
    expect(code).toBe('00000');
    expect(output).toMatch(new RegExp(`^transaction_id=${id}&status=2&dest_ref=REF1&operator_trxnsid=OP`));
    expect(await client.purchase('REF1')).toMatchObject({ standing: 1, times_bought: 1, transaction_id: id });
    expect(await client.sim('account')).toMatchObject({ balance: '99913.58', debited: '86.42' });
  });

  it('must be form-encoded, multipart or JSON', async () => {
    const client = await bench.start();
    const form = new FormData();
    for (const [name, value] of Object.entries(client.purchaseFields('REF1'))) form.append(name, value);
    const json = JSON.stringify(client.purchaseFields('REF2'));
    const text = new URLSearchParams(client.purchaseFields('REF3')).toString();
    const codes: unknown[] = [];
    for (const init of [
      { body: form },
      { body: json, headers: { 'content-type': 'application/json' } },
      { body: text, headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' } },
      { body: text, headers: { 'content-type': 'text/plain' } },
    ]) {
      codes.push(((await (await client.send(init)).json()) as Json).code);
    }
    expect(codes).toEqual(['00000', '00000', '00000', '20001']);
    const journal = await client.sim<Json[]>('journal');
    expect(journal.map(({ encoding }) => encoding)).toEqual(['multipart', 'json', 'form', null]);
  });

  it('also accepts the MD5 of the password', async () => {
    const client = await bench.start();
    const { password: _, ...fields } = client.purchaseFields('REF1', { password_hash: PASSWORD_MD5 });
    expect(await client.call(fields)).toMatchObject({ code: '00000' });
    expect(await client.call({ ...fields, password_hash: 'x' })).toMatchObject({ code: '20003' });
  });

  it('is not bought twice under one reference, even with other content', async () => {
    const client = await bench.start();
    await client.buy('REF1');
    expect(await client.buy('REF1')).toEqual({ code: '30016', desc: expect.any(String) });
    expect(await client.buy('REF1', { pay_to_amount: '23.50' })).toMatchObject({ code: '30016' });
    expect(await client.buy('REF1', { pay_to_company: 'NOBODY' })).toMatchObject({ code: '30016' });
    expect(await client.purchase('REF1')).toMatchObject({ sends: 4, pending: 1, amount: '90' });
    const [, second, third] = await client.journal('REF1');
    expect(second).toMatchObject({ decision: 'repeated', times_seen: 2, same_body: true, warnings: [] });
    expect(third?.warnings).toHaveLength(2);
  });

  it('is bought again under a forgotten reference', async () => {
    const client = await bench.start();
    await client.buy('REF1');
    await client.sim('clock', { advance: '61m' });
    expect(await client.buy('REF1')).toMatchObject({ code: '00000' });
    await client.untilSettled();
    expect(await client.purchase('REF1')).toMatchObject({ times_bought: 2, standing: 2 });
  });

  it.each<[string, Record<string, string>, string]>([
    ['a type that is not there', { type: 'other' }, '30008'],
    ['no company', { pay_to_company: '' }, '30008'],
    ['a company that is not there', { pay_to_company: 'NOBODY' }, '30001'],
    ['a company of another type', { type: 'mtopup' }, '30001'],
    ['a reference in small letters', { dest_ref: 'ref1' }, '30006'],
    ['a reference that is too long', { dest_ref: 'R'.repeat(21) }, '30006'],
    ['no address to call back', { resp_url: '' }, '30005'],
    ['an address that is none', { resp_url: 'nowhere' }, '30005'],
    ['an amount that is not sold', { pay_to_amount: '91' }, '30007'],
    ['decimals of a whole amount', { pay_to_amount: '90.00' }, '30007'],
    ['one decimal', { pay_to_amount: '23.5' }, '30007'],
    ['two decimals', { pay_to_amount: '23.50' }, '00000'],
    ['nothing for sale', { pay_to_company: 'SOLDOUT', pay_to_amount: '0' }, '30007'],
    ['a player that can’t be', { pay_to_ref1: 'abc' }, '30009'],
    ['no server', { pay_to_company: 'MLBB', pay_to_amount: '50' }, '30009'],
    ['a server', { pay_to_company: 'MLBB', pay_to_amount: '50', pay_to_ref1: '12345 9' }, '00000'],
    ['two spaces', { pay_to_company: 'MLBB', pay_to_amount: '50', pay_to_ref1: '12345  9' }, '30009'],
    ['a server that is known', genshin('800000001 AS'), '00000'],
    ['a server that is not', genshin('800000001 US'), '30009'],
    ['a phone', { type: 'mtopup', pay_to_company: '12CALL', pay_to_amount: '20', pay_to_ref1: '0812345678' }, '00000'],
    ['a bill of any amount', { type: 'billpay', pay_to_company: 'PEA', pay_to_amount: '123.45' }, '00000'],
    ['a bill that is too dear', { type: 'billpay', pay_to_company: 'PEA', pay_to_amount: '30001' }, '30007'],
    ['a card', { type: 'cashcard', pay_to_company: 'RAZER', pay_to_amount: '50', ...NO_PLAYER }, '00000'],
    ['a card for a player', { type: 'cashcard', pay_to_company: 'RAZER', pay_to_amount: '50' }, '30009'],
  ])('with %s', async (_case, fields, code) => {
    const client = await bench.start();
    expect(await client.buy('REF1', fields)).toMatchObject({ code });
    expect(await client.sim<Json[]>('purchases')).toHaveLength(code === '00000' ? 1 : 0);
  });

  it.each<[Json, Record<string, string>, string]>([
    [{}, { username: '' }, '20001'],
    [{}, { password: '' }, '20003'],
    [{}, { password: 'wrong' }, '20003'],
    [{}, { username: 'nobody' }, '20004'],
    [{ allow_list: ['192.0.2.1'] }, {}, '20005'],
    [{ balance: '86.39' }, {}, '30019'],
    [{ balance: '86.40' }, {}, '00000'],
    [{ code: '20004' }, {}, '20004'],
    [{ companies: [{ company_id: 'FREEFIRE', code: '30020' }] }, {}, '30020'],
    [{ companies: [{ company_id: 'FREEFIRE', denomination: [{ price: '91' }] }] }, {}, '30007'],
    [{ remove_companies: ['FREEFIRE'] }, {}, '30001'],
  ])('of an account that is %j, with %j', async (account, fields, code) => {
    const client = await bench.start({}, account);
    expect(await client.buy('REF1', fields)).toMatchObject({ code });
  });

  it('returns the money if it fails, also after a success', async () => {
    const client = await bench.start();
    const later = { status: '4', after_ms: 60_000 };
    await client.sim('rules', { match: {}, then: [{ status: '2', after_ms: 0 }, later] });
    expect(await client.bought('REF1')).toMatchObject({ status: '2' });
    await client.sim('clock', { advance: '1m' });
    expect(await client.purchase('REF1')).toMatchObject({
      times_bought: 1,
      standing: 0,
      price_debited: '0.00',
    });
    expect(await client.balance()).toMatchObject({ available_balance: '100000.00' });
  });

  it('takes long at a congested company', async () => {
    const client = await bench.start();
    await client.buy('REF1', { pay_to_company: 'CONGESTED', pay_to_amount: '100' });
    await client.sim('clock', { advance: '9m' });
    expect(await client.purchase('REF1')).toMatchObject({ pending: 1 });
    await client.sim('clock', { advance: '1m' });
    expect(await client.purchase('REF1')).toMatchObject({ standing: 1 });
  });
});

describe('a query', () => {
  it('for the output needs a transaction id', async () => {
    const client = await bench.start();
    await client.buy('REF1');
    expect(await client.output('REF1')).toMatchObject({ code: '30002' });
    expect(await client.output('1')).toMatchObject({ code: '30003' });
    const fields = { username: USERNAME, password: PASSWORD, type: 'get_output', dest_ref: 'REF1' };
    expect(await client.call(fields)).toMatchObject({ code: '30002' });
  });

  it('for the balance has pending purchases in the ledger', async () => {
    const client = await bench.start();
    await client.buy('REF1');
    const held = { code: '00000', ledger_balance: '100000.00', available_balance: '99913.60' };
    expect(await client.balance()).toEqual(held);
    await client.untilSettled();
    expect(await client.balance()).toMatchObject({ ledger_balance: '99913.60' });
    expect(await client.balance({ password: 'wrong' })).toMatchObject({ code: '20003' });
  });

  it('for the terms of a company', async () => {
    const client = await bench.start();
    const fields = { username: USERNAME, password: PASSWORD, type: 'gtopup', payee_info: 'true' };
    expect(await client.call({ ...fields, pay_to_company: 'MLBB' })).toMatchObject({
      code: '00000',
      discount: '3.5',
      fee: '0',
      sof_defined_amounts: ['50', '100', '250'],
      ref1: { title: 'User ID', min_length: 1, max_length: 30 },
    });
    expect(await client.call({ ...fields, pay_to_company: 'NOBODY' })).toMatchObject({ code: '30001' });
  });

  it('for the catalogue needs no credentials', async () => {
    const client = await bench.start({}, { allow_list: [] });
    const catalogue = await client.catalogue();
    expect(Object.keys(catalogue)).toEqual(['mtopup', 'cashcard', 'gtopup', 'billpay']);
    expect(catalogue.gtopup?.find(({ company_id }) => company_id === 'FREEFIRE')).toMatchObject({
      denomination: [{ price: 90 }, { price: 90.02 }, { price: 23.5 }],
      refs_format: { ref1: '/^[0-9]{5,12}$/' },
    });
    expect(catalogue.gtopup?.find(({ company_id }) => company_id === 'GENSHIN')).toMatchObject({
      gameservers: [{ value: 'AS', name: 'Asia' }, { value: 'EU' }],
    });
    await client.sim('rules', { match: { call: 'comp_export' }, list: 'empty' });
    expect((await client.catalogue()).gtopup).toEqual([]);
    expect((await fetch(`${client.url}/comp_export.php`)).status).toBe(405);
    expect((await fetch(`${client.url}/nothing`)).status).toBe(404);
  });
});

function genshin(player: string): Record<string, string> {
  return { pay_to_company: 'GENSHIN', pay_to_amount: '35', pay_to_ref1: player };
}
