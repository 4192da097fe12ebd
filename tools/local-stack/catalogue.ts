/** A product of the demo catalogue; prices are THB with two fraction digits. */
export interface DemoProduct {
  sku: string;
  name: string;
  price: string;
  /** The price of the demo merchant where it is lower than the list price. */
  merchantPrice?: string;
  requiresServer?: boolean;
  requiresCharacter?: boolean;
  maxQuantity?: number;
}

/** The products of a fresh local database: games that need only a user id, a server as well, or a server and a character. */
export const demoCatalogue: readonly DemoProduct[] = [
  { sku: 'MLBB-86', name: 'Mobile Legends: Bang Bang - 86 Diamonds', price: '35.00', requiresServer: true },
  {
    sku: 'MLBB-172',
    name: 'Mobile Legends: Bang Bang - 172 Diamonds',
    price: '69.00',
    merchantPrice: '64.50',
    requiresServer: true,
  },
  {
    sku: 'MLBB-706',
    name: 'Mobile Legends: Bang Bang - 706 Diamonds',
    price: '279.00',
    requiresServer: true,
  },
  {
    sku: 'MLBB-WEEKLY',
    name: 'Mobile Legends: Bang Bang - Weekly Diamond Pass',
    price: '59.00',
    requiresServer: true,
    maxQuantity: 10,
  },
  { sku: 'GENSHIN-60', name: 'Genshin Impact - 60 Genesis Crystals', price: '35.00', requiresServer: true },
  {
    sku: 'GENSHIN-300',
    name: 'Genshin Impact - 300+30 Genesis Crystals',
    price: '169.00',
    requiresServer: true,
  },
  {
    sku: 'GENSHIN-WELKIN',
    name: 'Genshin Impact - Blessing of the Welkin Moon',
    price: '169.00',
    requiresServer: true,
    maxQuantity: 6,
  },
  { sku: 'HSR-60', name: 'Honkai: Star Rail - 60 Oneiric Shards', price: '35.00', requiresServer: true },
  { sku: 'FF-100', name: 'Free Fire - 100 Diamonds', price: '29.00', merchantPrice: '27.25' },
  { sku: 'FF-310', name: 'Free Fire - 310 Diamonds', price: '89.00' },
  { sku: 'PUBGM-60', name: 'PUBG Mobile - 60 UC', price: '35.00' },
  { sku: 'PUBGM-325', name: 'PUBG Mobile - 300+25 UC', price: '175.00' },
  { sku: 'VALORANT-475', name: 'VALORANT Thailand - 475 Points', price: '150.00' },
  { sku: 'VALORANT-1000', name: 'VALORANT Thailand - 1000 Points', price: '300.00' },
  { sku: 'ROV-60', name: 'Garena RoV - 60 Vouchers', price: '20.00' },
  {
    sku: 'ROM-80',
    name: 'Ragnarok M: Eternal Love - 80 Big Cat Coins',
    price: '105.50',
    requiresServer: true,
    requiresCharacter: true,
  },
];
