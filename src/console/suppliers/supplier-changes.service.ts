import { Injectable } from '@nestjs/common';
import { SupplierSyncService } from '../../catalog/supplier-sync.service.js';
import { recordAction } from '../../audit-log/audit-log.js';
import { Database } from '../../database/database.js';
import { SupplierQueriesService } from '../../suppliers/supplier-queries.service.js';
import { SupplierCheckService } from '../../suppliers/supplier-check.service.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import type { Caller } from '../access/caller.js';
import { SupplierViewsService } from './supplier-views.service.js';
import type { PauseDto, SupplierDetailDto, SupplierTestDto, SyncDoneDto, SyncDto } from './supplier.dto.js';
import { toCheckDto, toSyncDto } from './supplier.mapper.js';

/** What operators do about suppliers. */
@Injectable()
export class SupplierChangesService {
  constructor(
    private readonly suppliers: SuppliersService,
    private readonly checks: SupplierCheckService,
    private readonly asked: SupplierQueriesService,
    private readonly database: Database,
    private readonly catalogues: SupplierSyncService,
    private readonly pages: SupplierViewsService,
  ) {}

  /** @throws NOT_FOUND */
  async pause(caller: Caller, code: string, { reason }: PauseDto): Promise<SupplierDetailDto> {
    await this.suppliers.pause(code, caller.actor(reason));
    return this.pages.show(caller, code);
  }

  /** @throws NOT_FOUND */
  async resume(caller: Caller, code: string): Promise<SupplierDetailDto> {
    await this.suppliers.resume(code, caller.actor());
    return this.pages.show(caller, code);
  }

  /** Buys nothing. @throws NOT_FOUND; TOO_MANY_REQUESTS */
  async test(caller: Caller, code: string): Promise<SupplierTestDto> {
    const supplier = await this.suppliers.getByCode(code);
    const found = await this.asked.ask('test', code, () => this.checks.check(supplier));
    const checks = found.map(toCheckDto);
    const ok = checks.every((each) => each.ok);
    await this.database.transaction((tx) => {
      recordAction(tx, caller.actor(), { action: 'supplier.test', detail: { code, ok } });
      return Promise.resolve();
    });
    return { ok, checks };
  }

  /** @throws NOT_FOUND; BAD_REQUEST where its adapter reads no catalogues. */
  async sync(caller: Caller, code: string, { dry_run: dryRun, force = false }: SyncDto): Promise<SyncDoneDto> {
    return toSyncDto(await this.catalogues.sync(code, { dryRun, force }, caller.actor()));
  }
}
