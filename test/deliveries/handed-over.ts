import { eventually } from '../support/eventually.js';
import type { Answer } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

export interface DeliveredCode {
  unit: number;
  serial: string | null;
  code: string | null;
  expires_on: string | null;
}

export type OrderWithDeliveries = Omit<OrderBody, 'items'> & {
  items: (OrderBody['items'][number] & { deliveries?: DeliveredCode[] })[];
};

/** A success of the generic protocol with a code or a serial number. */
export const handedOver = (reference: string, deliveries: unknown, supplierReference = `S-${reference}`): Answer => ({
  status: 200,
  body: { reference, status: 'succeeded', supplier_reference: supplierReference, deliveries },
});

/** Makes the fake supplier deliver a code, which names the unit, to this player. @returns the code of a reference. */
export function sellsCodes(stack: TestStack, userId: string): (reference: string) => string {
  const codeOf = (reference: string): string => `CODE-${reference}`;
  stack.supplier.script(userId, ({ reference }) =>
    handedOver(reference, [{ serial: 'SER-1', code: codeOf(reference), expires_on: '2027-12-31' }]),
  );
  return codeOf;
}

export const newPlayer = (): string => unique('player');

/** The order as its merchant reads it. */
export async function read(
  merchant: TestMerchant,
  { reference_id: reference }: OrderBody,
): Promise<OrderWithDeliveries> {
  return (await merchant.client.get<OrderWithDeliveries>(`/v1/orders/${reference}`)).body;
}

/** The deliveries of an order's items, once it has ended. */
export async function deliveriesOf(
  stack: TestStack,
  merchant: TestMerchant,
  order: OrderBody,
): Promise<(DeliveredCode[] | undefined)[]> {
  await stack.orderWith(merchant, order.reference_id, 'completed', 'failed');
  return (await read(merchant, order)).items.map(({ deliveries }) => deliveries);
}

/** Waits until the order's only unit is in this state. */
export const unitIs = (stack: TestStack, { order_number: order }: OrderBody, state: string): Promise<unknown> =>
  eventually(
    () =>
      stack.sql<{ state: string }>(
        `SELECT u.state FROM order_units u JOIN orders o ON o.id = u.order_id WHERE o.order_number = $1`,
        [order],
      ),
    ([unit]) => unit?.state === state,
  );

/** The number of an order's units with a stored delivery. */
export const keptFor = async (stack: TestStack, { order_number: order }: OrderBody): Promise<number> =>
  (
    await stack.sql(`SELECT d.id FROM unit_deliveries d JOIN orders o ON o.id = d.order_id WHERE o.order_number = $1`, [
      order,
    ])
  ).length;
