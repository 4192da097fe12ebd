import { Body, Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { recordAction } from '../../audit-log/audit-log.js';
import { CONFIG, type Config } from '../../core/config.js';
import { present } from '../../core/invariant.js';
import { withoutUndefined } from '../../core/members.js';
import { checkedBaht } from '../../core/money.js';
import type { Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import { UnitDeliveriesService } from '../../orders/codes/unit-deliveries.service.js';
import { maskedIfAny, maskOfReported } from '../../support/masking.js';
import { OrderSupportService } from '../../support/order-support.service.js';
import { ReversalsService, type ClosedReversal, type Reversal } from '../../support/reversals.service.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { PathId } from '../access/parameters.js';
import { assertNeedsNoApproval } from '../access/permission.js';
import { valuesOf } from '../filters.js';
import { newestFirst } from '../lists.js';
import { RevealedDto } from '../orders/decision.dto.js';
import { ReasonDto } from '../reason.dto.js';
import { ClosingDto, ReversalDto, ReversalsQueryDto } from './reversal.dto.js';

/** Discrepancies between the books and suppliers' reports, as the caller may see them. */
@ApiTags('Suppliers')
@Controller('api/reversals')
export class ConsoleReversalsController {
  constructor(
    private readonly database: Database,
    private readonly reversals: ReversalsService,
    private readonly deliveries: UnitDeliveriesService,
    private readonly orders: OrderSupportService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  @ConsoleRoute('suppliers.read', 'Discrepancies between suppliers’ reports and our books, newest first', [ReversalDto])
  async list(
    @CurrentCaller() caller: Caller,
    @Query() { open, supplier, ...query }: ReversalsQueryDto,
  ): Promise<Page<ReversalDto>> {
    const page = await newestFirst(query, (before, limit) =>
      this.reversals.list({ open: open === 'true', suppliers: valuesOf(supplier), before, limit }),
    );
    return { ...page, data: await this.shown(page.data, caller) };
  }

  @Post(':id/closing')
  @ConsoleRoute(
    'reversals.close',
    'Close a discrepancy, with or without a credit to the order’s merchant',
    ReversalDto,
    {
      description:
        'Asks for confirmation. The credit has the reference `reversal-<id>-<when the discrepancy opened>`, so a repeated request gives it once. ' +
        '409 CHANGED_MEANWHILE if the supplier’s report is not `expected_reported`.',
    },
  )
  async close(
    @CurrentCaller() caller: Caller,
    @PathId('reversal') id: number,
    @Body() { credit: text, expected_reported: expectedReported, reason }: ClosingDto,
  ): Promise<ReversalDto> {
    const credit = text ? checkedBaht(text) : undefined;
    if (credit !== undefined) assertNeedsNoApproval(credit, this.config);
    const closed = await this.reversals.close({
      id,
      by: caller.confirmedActor(reason),
      ...withoutUndefined({ credit, expectedReported: expectedReported ?? undefined }),
    });
    const [shown] = await this.shown([closed], caller);
    return present(shown, 'a discrepancy that was closed is shown');
  }

  @Post(':id/code')
  @ConsoleRoute(
    'codes.reveal',
    'Show what was handed over for the purchase of a discrepancy, such as its code',
    RevealedDto,
    {
      description:
        'The audit log records this before the code is shown. Asks for confirmation. 404 if nothing was handed over.',
    },
  )
  async reveal(
    @CurrentCaller() caller: Caller,
    @PathId('reversal') id: number,
    @Body() { reason }: ReasonDto,
  ): Promise<RevealedDto> {
    caller.assertConfirmed();
    const { unit, key, sealed, about } = await this.reversals.getHandedOver(id);
    const delivered = this.deliveries.open(sealed, key);
    await this.database.transaction((tx) => {
      const detail = { unit, reversal_id: id };
      recordAction(tx, caller.actor(reason), { action: 'code.reveal', ...about, detail });
    });
    return { unit, pieces: delivered };
  }

  /** Masks the player of the order or, without an order, the player that the supplier reports. */
  private async shown(reversals: readonly ClosedReversal[], caller: Caller): Promise<ReversalDto[]> {
    const ofOrders = await this.orders.masks(reversals.filter(isAboutOrder), caller);
    return reversals.map((reversal) => {
      const { player, supplier_reference, reference, supplier_sku, detail } = reversal;
      const texts = [supplier_reference, reference, supplier_sku, detail];
      const mask = isAboutOrder(reversal) ? ofOrders(reversal) : maskOfReported(player ?? '', texts, caller);
      return {
        ...reversal,
        player: maskedIfAny(player, caller),
        supplier_reference: mask(supplier_reference),
        // The player of an archived order is unknown, so its mask hides each text whole. A discrepancy about an order
        // has neither of these two texts.
        ...(!reversal.archived && { reference: mask(reference), supplier_sku: mask(supplier_sku) }),
        detail: mask(detail),
        ...(caller.may('costs.read') ? {} : { amount: null, currency: null }),
      };
    });
  }
}

const isAboutOrder = (reversal: Reversal): reversal is Reversal & { order_number: string } =>
  reversal.order_number !== null;
