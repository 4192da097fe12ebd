import { Injectable } from '@nestjs/common';
import { SupplierSyncService } from '../../catalog/supplier-sync.service.js';
import { SupplierCheckService } from '../../suppliers/supplier-check.service.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import type { Caller } from '../access/caller.js';
import { SupplierPages } from './supplier-pages.service.js';
import type { PauseDto, SupplierDetailDto, SupplierTestDto, SyncDoneDto, SyncDto } from './supplier.dto.js';
import { toCheckDto, toSyncDto } from './supplier.mapper.js';

/** What operators do about suppliers. */
@Injectable()
export class SupplierChanges {
  constructor(
    private readonly suppliers: SuppliersService,
    private readonly checks: SupplierCheckService,
    private readonly catalogues: SupplierSyncService,
    private readonly pages: SupplierPages,
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

  /** Buys nothing. @throws NOT_FOUND */
  async test(code: string): Promise<SupplierTestDto> {
    const found = await this.checks.check(await this.suppliers.getByCode(code));
    const checks = found.map(toCheckDto);
    return { ok: checks.every(({ ok }) => ok), checks };
  }

  /** @throws NOT_FOUND; BAD_REQUEST where its adapter reads no catalogues. */
  async sync(
    caller: Caller,
    code: string,
    { dry_run: dryRun, force = false }: SyncDto,
  ): Promise<SyncDoneDto> {
    return toSyncDto(await this.catalogues.sync(code, { dryRun, force }, caller.actor()));
  }
}
