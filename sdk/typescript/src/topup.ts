import { Deposits } from './resources/deposits.js';
import { Events } from './resources/events.js';
import { Orders } from './resources/orders.js';
import { Players } from './resources/players.js';
import { Products } from './resources/products.js';
import { Sandbox } from './resources/sandbox.js';
import { WalletResource } from './resources/wallet.js';
import { Webhooks } from './resources/webhooks.js';
import { Transport, type TopupOptions } from './transport.js';

/** The Order Top-up API, with one merchant's key. */
export class Topup {
  readonly orders: Orders;
  readonly wallet: WalletResource;
  readonly deposits: Deposits;
  readonly products: Products;
  readonly webhooks: Webhooks;
  readonly events: Events;
  readonly players: Players;
  readonly sandbox: Sandbox;

  constructor(options: TopupOptions) {
    const transport = new Transport(options);
    this.orders = new Orders(transport);
    this.wallet = new WalletResource(transport);
    this.deposits = new Deposits(transport);
    this.products = new Products(transport);
    this.webhooks = new Webhooks(transport);
    this.events = new Events(transport);
    this.players = new Players(transport);
    this.sandbox = new Sandbox(transport);
  }
}
