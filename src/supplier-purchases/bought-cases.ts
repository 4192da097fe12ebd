import { Injectable } from '@nestjs/common';
import { UnknownPurchasesRepository } from './unknown-purchases.repository.js';

/** After a restore there may be as many open cases as were bought in a day: each look takes so many of them. */
const CASES_AT_ONCE = 1_000;

/** Closes the cases whose purchase a unit turned out to be. */
@Injectable()
export class BoughtCases {
  /** The last case that was looked at; 0 where the first is next. */
  private after = 0;

  constructor(private readonly unknown: UnknownPurchasesRepository) {}

  /** Looks at the next open cases; behind the last, at the first again. @returns the numbers of those that it closed. */
  async closeNext(): Promise<number[]> {
    const { closed, next } = await this.unknown.closeBought(this.after, CASES_AT_ONCE);
    this.after = next;
    return closed;
  }
}
