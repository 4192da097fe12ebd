import type { components, operations } from './schema.js';

type Schemas = components['schemas'];

export type Order = Schemas['OrderDto'];
export type OrderItem = Schemas['OrderItemDto'];
export type ItemDelivery = Schemas['ItemDeliveryDto'];
export type NewOrder = Schemas['CreateOrderDto'];
export type FailureCode = NonNullable<Order['failure_code']>;

export type Wallet = Schemas['WalletDto'];
export type WalletEntry = Schemas['WalletEntryDto'];
export type Deposit = Schemas['DepositDto'];
export type NewDeposit = Schemas['CreateDepositDto'];
export type Product = Schemas['ProductDto'];
export type PlayerQuery = Schemas['CheckPlayerDto'];
export type PlayerVerdict = Schemas['PlayerVerdictDto'];

export type Webhook = Schemas['WebhookDto'];
export type NewWebhook = Schemas['CreateWebhookDto'];
/** Contains `secret` if the service generated it. Later answers never contain it. */
export type CreatedWebhook = Schemas['CreatedWebhookDto'];
export type WebhookChanges = Schemas['UpdateWebhookDto'];
export type Delivery = Schemas['DeliveryDto'];
export type DeliveryDetail = Schemas['DeliveryDetailDto'];

/** An event of webhooks and `events.list`. `event` names its kind, which determines `data`. */
export type TopupEvent = Schemas['EventDto'];
export type EventKind = TopupEvent['event'];
/** The event of one kind. */
export type EventOf<Kind extends EventKind> = Extract<TopupEvent, { event: Kind }>;

/** The body of every error. */
export type ErrorBody = Schemas['ErrorDto'];
export type ErrorCode = ErrorBody['code'];
export type ErrorDetail = Schemas['ErrorDetailDto'];

type QueryOf<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;

export type OrderQuery = Omit<QueryOf<'Orders_list'>, 'cursor'>;
export type WalletEntryQuery = Omit<QueryOf<'Wallet_entries'>, 'cursor'>;
export type DepositQuery = Omit<QueryOf<'Deposits_list'>, 'cursor'>;
export type ProductQuery = Omit<QueryOf<'Products_list'>, 'cursor'>;
export type DeliveryQuery = Omit<QueryOf<'Deliveries_listDeliveries'>, 'cursor'>;
/** `after` is the id of the last event that you handled. */
export type EventQuery = QueryOf<'Events_list'>;
