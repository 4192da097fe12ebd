import { Button, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { toast } from '../../kit/toasts';
import type { components } from '../../schema';
import { useSession } from '../../session';
import { UNIT_FAILURE_CODES, type FailureCode } from '../../failure-codes';
import { endOf, openBesides } from './order-end';
import type { OrderView } from './order-view';
import classes from './resolve.module.css';

const VERBS = {
  succeeded: 'resolve.verbSucceeded',
  failed: 'resolve.verbFailed',
  none: 'resolve.open',
} as const;

/** Converts an amount such as `35.00` to satang. */
const satangOf = (amount: string): bigint => BigInt(amount.replace('.', ''));

interface ResolveProps {
  order: OrderView;
  unitName: string;
  onClose: () => void;
}

/** The operator decides that a unit in doubt was bought, or that it was not. */
export function Resolve({ order, unitName, onClose }: ResolveProps): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const confirmAbove = useSession()?.confirm_above ?? '0.00';
  const [decision, setDecision] = useState<'succeeded' | 'failed' | null>(null);
  const [reference, setReference] = useState('');
  const [code, setCode] = useState<FailureCode>('INVALID_PLAYER');
  const found = order.units.find(({ unit, can_resolve }) => unit === unitName && can_resolve);
  // The page keeps refreshing, but the decision is about the attempt at which the operator opened the dialog.
  const [attempt] = useState(() => found?.attempts.at(-1)?.number);
  if (!found) return null;
  const { order_number: number } = order;
  const price = formatAmount(found.price);
  const isAbove = satangOf(found.price) > satangOf(confirmAbove);
  const resolve = async (reason: string): Promise<void> => {
    const succeeded = decision === 'succeeded';
    await ask(() =>
      client.POST('/api/orders/{number}/units/{unit}/resolution', {
        params: { path: { number, unit: unitName } },
        body: succeeded
          ? { succeeded, supplier_reference: reference.trim() || undefined, attempt, reason }
          : { succeeded, failure_code: code, attempt, reason },
      }),
    );
    toast(t('resolve.done', { unit: unitName }));
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['order', number] }),
      queries.invalidateQueries({ queryKey: ['review'] }),
    ]);
  };
  return (
    <Confirm
      title={t('resolve.title', { unit: unitName, number })}
      verb={t(VERBS[decision ?? 'none'])}
      requiresReason
      isReady={decision !== null}
      typed={isAbove ? found.price : undefined}
      onConfirm={resolve}
      onClose={onClose}
      size="lg"
    >
      <SupplierInquiry number={number} unit={unitName} />
      <SegmentedControl
        fullWidth
        aria-label={t('resolve.verdict')}
        value={decision ?? ''}
        onChange={(value) => setDecision(value as 'succeeded' | 'failed')}
        data={[
          { value: 'succeeded', label: t('resolve.succeeded') },
          { value: 'failed', label: t('resolve.failed') },
        ]}
      />
      {decision === 'succeeded' && <Reference value={reference} onChange={setReference} />}
      {decision === 'failed' && <FailureCodeField value={code} onChange={setCode} />}
      {decision !== null && (
        <p className={classes.consequence}>
          {t(decision === 'succeeded' ? 'resolve.consequenceSucceeded' : 'resolve.consequenceFailed', {
            price,
            merchant: order.merchant.name,
          })}{' '}
          {t(`resolve.ends.${endOf(order.units, unitName, decision)}`, {
            count: openBesides(order.units, unitName),
          })}
        </p>
      )}
    </Confirm>
  );
}

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
}

function Reference({ value, onChange }: FieldProps): ReactNode {
  const t = useT();
  return (
    <TextInput
      label={t('unit.theirReference')}
      description={t('resolve.referenceHint')}
      maxLength={255}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A failure code with its explanation. */
export function FailureCodeField({
  value,
  onChange,
}: {
  value: FailureCode;
  onChange: (value: FailureCode) => void;
}): ReactNode {
  const t = useT();
  return (
    <NativeSelect
      label={t('resolve.code')}
      description={t.maybe(`failure.${value}`)}
      data={UNIT_FAILURE_CODES}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as FailureCode)}
    />
  );
}

const resultOf = ({ outcome, supplier, detail }: components['schemas']['InquiryDto'], t: Translate): string =>
  [t(`inquiry.${outcome}`, { supplier }), detail].filter(Boolean).join(' · ');

/** The result of an inquiry at the supplier. It changes nothing. */
function SupplierInquiry({ number, unit }: { number: string; unit: string }): ReactNode {
  const t = useT();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['inquiry', number, unit],
    queryFn: () =>
      ask(() => client.POST('/api/orders/{number}/units/{unit}/inquire', { params: { path: { number, unit } } })),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  return (
    <div className={classes.word} aria-live="polite">
      <div>
        <h3>{t('resolve.supplierSays')}</h3>
        <p>{isFetching ? t('resolve.asking') : error ? error.message : data && resultOf(data, t)}</p>
      </div>
      <Button size="compact-xs" variant="default" disabled={isFetching} onClick={() => void refetch()}>
        {t('resolve.askAgain')}
      </Button>
    </div>
  );
}
