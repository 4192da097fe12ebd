import { Button, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { formatAmount, readAmount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { toast } from '../../kit/toasts';
import type { components } from '../../schema';
import { useSession } from '../../session';
import { UNIT_FAILURE_CODES, type FailureCode } from '../../failure-codes';
import { endOf, openBesides, type Decision } from './order-end';
import type { OrderView, UnitView } from './order-view';
import classes from './resolve.module.css';

const VERBS = {
  succeeded: 'resolve.verbSucceeded',
  failed: 'resolve.verbFailed',
  none: 'resolve.open',
} as const;

interface ResolveProps {
  order: OrderView;
  unitName: string;
  onClose: () => void;
}

/** The operator decides that a unit in doubt was bought, or that it was not. */
export function Resolve({ order, unitName, onClose }: ResolveProps): ReactNode {
  const found = order.units.find(({ unit, can_resolve }) => unit === unitName && can_resolve);
  // The dialog stays when the unit is settled meanwhile: the API refuses the decision, and the operator reads why.
  const [latest, setLatest] = useState(found);
  if (found !== undefined && found !== latest) setLatest(found);
  const unit = found ?? latest;
  return unit && <Decide order={order} unit={unit} onClose={onClose} />;
}

interface DecideProps extends Pick<ResolveProps, 'order' | 'onClose'> {
  unit: UnitView;
}

function Decide({ order, unit, onClose }: DecideProps): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const confirmAbove = useSession()?.confirm_above ?? '0.00';
  const [decision, setDecision] = useState<Decision | null>(null);
  const [reference, setReference] = useState('');
  const [chosen, setChosen] = useState<FailureCode | null>(null);
  const { order_number: number } = order;
  const inquiry = useInquiry(number, unit.unit);
  // The page keeps refreshing, but the decision is about the attempt at which the operator opened the dialog.
  const [attempt] = useState(() => unit.attempts.at(-1)?.number);
  const reported = codeOf(inquiry.data);
  const code = chosen ?? reported;
  const isAbove = (readAmount(unit.price) ?? 0n) > (readAmount(confirmAbove) ?? 0n);
  const resolve = async (reason: string): Promise<void> => {
    const succeeded = decision === 'succeeded';
    await ask(() =>
      client.POST('/api/orders/{number}/units/{unit}/resolution', {
        params: { path: { number, unit: unit.unit } },
        body: succeeded
          ? { succeeded, supplier_reference: reference.trim() || undefined, attempt, reason }
          : { succeeded, failure_code: code ?? undefined, attempt, reason },
      }),
    );
    toast(t('resolve.done', { unit: unit.unit }));
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['order', number] }),
      queries.invalidateQueries({ queryKey: ['review'] }),
    ]);
  };
  return (
    <Confirm
      title={t('resolve.title', { unit: unit.unit, number })}
      verb={t(VERBS[decision ?? 'none'])}
      requiresReason
      isReady={decision === 'succeeded' || (decision === 'failed' && code !== null)}
      typed={isAbove ? unit.price : undefined}
      onConfirm={resolve}
      onClose={onClose}
      size="lg"
    >
      <SupplierInquiry query={inquiry} />
      <SegmentedControl
        fullWidth
        aria-label={t('resolve.verdict')}
        value={decision ?? ''}
        onChange={(value) => setDecision(value as Decision)}
        data={[
          { value: 'succeeded', label: t('resolve.succeeded') },
          { value: 'failed', label: t('resolve.failed') },
        ]}
      />
      {decision === 'succeeded' && <Reference value={reference} onChange={setReference} />}
      {decision === 'failed' && (
        <FailureCodeField value={code} isReported={code !== null && code === reported} onChange={setChosen} />
      )}
      {decision !== null && <p className={classes.consequence}>{consequenceOf(order, { unit, decision }, t)}</p>}
    </Confirm>
  );
}

/** Says what the decision does to the money and the order. */
function consequenceOf(
  order: OrderView,
  { unit: { unit: name, price }, decision }: { unit: UnitView; decision: Decision },
  t: Translate,
): string {
  const values = { price: formatAmount(price), merchant: order.merchant.name };
  return [
    t(decision === 'succeeded' ? 'resolve.consequenceSucceeded' : 'resolve.consequenceFailed', values),
    t(`resolve.ends.${endOf(order.units, name, decision)}`, { count: openBesides(order.units, name) }),
  ].join(' ');
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

/** Why a unit failed. Nothing is chosen until the operator chooses, or the supplier has just reported a reason. */
export function FailureCodeField({
  value,
  isReported = false,
  onChange,
}: {
  value: FailureCode | null;
  isReported?: boolean;
  onChange: (value: FailureCode) => void;
}): ReactNode {
  const t = useT();
  return (
    <NativeSelect
      label={t('resolve.code')}
      description={
        value !== null && (
          <>
            <code className="mono">{value}</code>
            {isReported && ` · ${t('resolve.reported')}`}
          </>
        )
      }
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      required
      data={[
        { value: '', label: t('resolve.chooseCode'), disabled: true },
        ...UNIT_FAILURE_CODES.map((code) => ({ value: code, label: t(`failure.${code}`) })),
      ]}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value as FailureCode)}
    />
  );
}

type Inquiry = components['schemas']['InquiryDto'];

const resultOf = ({ outcome, supplier, detail }: Inquiry, t: Translate): string =>
  [t(`inquiry.${outcome}`, { supplier }), detail].filter(Boolean).join(' · ');

/** The failure code that follows from the supplier's report. Null when the report is of no failure. */
const codeOf = (inquiry: Inquiry | undefined): FailureCode | null =>
  inquiry?.outcome === 'never_seen'
    ? 'SUPPLIER_UNAVAILABLE'
    : (UNIT_FAILURE_CODES.find((code) => code === inquiry?.failure_code) ?? null);

/** Queries the supplier once, and again when the operator asks. It changes nothing. */
const useInquiry = (number: string, unit: string): UseQueryResult<Inquiry> =>
  useQuery({
    queryKey: ['inquiry', number, unit],
    queryFn: () =>
      ask(() => client.POST('/api/orders/{number}/units/{unit}/inquire', { params: { path: { number, unit } } })),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });

function SupplierInquiry({
  query: { data, error, isFetching, refetch },
}: {
  query: UseQueryResult<Inquiry>;
}): ReactNode {
  const t = useT();
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
