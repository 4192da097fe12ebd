import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/database.js';
import { Supplier } from './supplier.entity.js';

@Injectable()
export class SuppliersRepository {
  /** The id of each supplier, by its code. */
  async idsByCode({ manager }: Transaction): Promise<Map<string, number>> {
    const suppliers = await manager.find(Supplier, { select: { id: true, code: true } });
    return new Map(suppliers.map(({ code, id }) => [code, id]));
  }
}
