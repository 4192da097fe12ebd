import { describe, expect, it } from '@jest/globals';
import { eventBody } from '../../events/event-log.js';
import type { DeliveredEvent } from '../../events/event.entity.js';
import { permissionsOf, type Permission, type Role } from '../../operators/roles.js';
import type { Viewer } from '../../support/masking.js';
import type { ListedDeliveryDetail } from '../../webhooks/webhook-listing.repository.js';
import { toConsoleDeliveryDetailDto, toConsoleDeliveryDto } from './webhook.mapper.js';

const AT = new Date('2026-01-15T08:30:00Z');
const DEPOSIT = {
  reference_id: 'deposit-7',
  paid_amount: '1000.37',
  payments: [{ id: 'pay_7', amount: '1000.37' }],
  metadata: { buyer: 'somchai@example.com', empty: '', place: '1', branch: '000' },
};
const BALANCE = { currency: 'THB', available_amount: '499.37', threshold_amount: '500.00' };

const withRole = (role: Role): Viewer => ({ may: (permission) => permissionsOf(role).includes(permission) });
const having = (...permissions: Permission[]): Viewer => ({ may: (permission) => permissions.includes(permission) });

function delivery(event: DeliveredEvent, data: object, answer: string) {
  const row: ListedDeliveryDetail = {
    id: 7n,
    webhook_id: 1,
    status: 'failed',
    attempt_count: 1,
    due_at: null,
    created_at: AT,
    updated_at: AT,
    reference_id: 'deposit-7',
    merchant_id: 1,
    url: 'https://shop.example/hook',
    event_id: 'evt_7',
    event,
    in_flight: false,
    order_number: null,
    merchant_name: 'Shop',
    response_status: 500,
    error: null,
    duration_ms: 7,
    body: eventBody('evt_7', event, AT, data),
    include_deliveries: false,
  };
  const attempt = { number: 1, started_at: AT, duration_ms: 7, response_status: 500, error: null };
  return { ...row, attempts: [{ ...attempt, response_body: answer }] };
}

describe('a delivery about a deposit', () => {
  const paid = delivery('deposit.paid', DEPOSIT, 'cannot credit 1000.37');

  it.each<Role>(['viewer', 'catalog'])('shows a %s that it was sent, and nothing of the deposit', (role) => {
    const shown = toConsoleDeliveryDetailDto(paid, withRole(role));
    expect(shown).toMatchObject({
      reference_id: null,
      body: { id: 'evt_7', event: 'deposit.paid', data: null },
      attempts: [{ response_status: 500, response_body: null, is_hidden: true }],
    });
    expect(JSON.stringify(shown)).not.toMatch(/1000\.37|deposit-7|pay_7|somchai/);
    expect(toConsoleDeliveryDto(paid, withRole(role)).reference_id).toBeNull();
  });

  it('shows all of it to those who may see deposits and players', () => {
    expect(toConsoleDeliveryDetailDto(paid, withRole('support'))).toMatchObject({
      reference_id: 'deposit-7',
      body: { data: DEPOSIT },
      attempts: [{ response_body: 'cannot credit 1000.37', is_hidden: false }],
    });
  });

  it.each([
    ['cannot credit 1000.37', 'cannot credit 1000.37'],
    ['no account of SOMCHAI%40example.com', null],
  ])('shows those who may see deposits but no players the answer %j as %j, and no metadata', (answer, expected) => {
    const shown = toConsoleDeliveryDetailDto(delivery('deposit.expired', DEPOSIT, answer), having('deposits.read'));
    const { metadata: _hidden, ...data } = DEPOSIT;
    expect(shown.body.data).toEqual(data);
    expect(shown.attempts).toMatchObject([{ response_body: expected, is_hidden: expected === null }]);
  });
});

describe('a delivery about a balance', () => {
  const low = delivery('wallet.low_balance', BALANCE, '{"got":"499.37"}');

  it('shows the balance, and an answer that may repeat it, only to those who may see wallets', () => {
    expect(JSON.stringify(toConsoleDeliveryDetailDto(low, withRole('viewer')))).not.toContain('499.37');
    expect(toConsoleDeliveryDetailDto(low, withRole('finance'))).toMatchObject({
      body: { data: BALANCE },
      attempts: [{ response_body: '{"got":"499.37"}' }],
    });
  });
});
