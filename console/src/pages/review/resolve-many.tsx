import { Button, SegmentedControl } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import type { FailureCode } from '../../failure-codes';
import { useT, type Translate } from '../../i18n/words';
import { Amount, formatAmount, readAmount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { Modal } from '../../kit/modal';
import { Status } from '../../kit/status';
import { toast } from '../../kit/toasts';
import type { components } from '../../schema';
import { useSession } from '../../session';
import { FailureCodeField } from '../orders/resolve';
import { keyOf, sumOf, type Choice } from './selection';
import classes from './review.module.css';

type Preview = components['schemas']['BatchPreviewDto'];
type Resolved = components['schemas']['BatchResolvedDto'];
type Decision = 'succeeded' | 'failed';

interface ResolveManyProps {
  units: readonly Choice[];
  onClose: () => void;
  /** Called after the decision, even when it did not settle all units. It closes the dialog, too. */
  onResolved: () => void;
}

/** One decision about several units. Lists the units that it did not settle. */
export function ResolveMany({ units, onClose, onResolved }: ResolveManyProps): ReactNode {
  // The dialog keeps its units, even when the operator's selection changes.
  const [selected] = useState(units);
  const [result, setResult] = useState<Resolved | null>(null);
  const isDecided = useRef(false);
  const finish = (resolved: Resolved): void => {
    isDecided.current = true;
    if (resolved.left.length > 0) setResult(resolved);
    else onResolved();
  };
  if (result) {
    const close = (): void => {
      onClose();
      onResolved();
    };
    return <UnsettledUnits selected={selected} result={result} onClose={close} />;
  }
  // `Decide` closes again once the pages are refreshed. The operator may have opened the next dialog by then.
  return <Decide units={selected} onDone={finish} onClose={() => isDecided.current || onClose()} />;
}

function Decide({
  units,
  onDone,
  onClose,
}: {
  units: readonly Choice[];
  onDone: (resolved: Resolved) => void;
  onClose: () => void;
}): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const confirmAbove = useSession()?.confirm_above ?? '0.00';
  const [decision, setDecision] = useState<Decision | null>(null);
  const [code, setCode] = useState<FailureCode | null>(null);
  const names = units.map(({ order_number, unit, supplier, attempt }) => ({ order_number, unit, supplier, attempt }));
  const { data: preview, error } = usePreview(names);
  const isAbove = sumOf(units) > (readAmount(confirmAbove) ?? 0n);
  const resolve = async (reason: string): Promise<void> => {
    const succeeded = decision === 'succeeded';
    const given = succeeded ? { succeeded } : { succeeded, failure_code: code ?? undefined };
    const resolved = await ask(() =>
      client.POST('/api/review/resolution', { body: { units: names, ...given, reason } }),
    );
    if (resolved.left.length === 0) toast(t('resolveMany.done', { count: resolved.resolved.length }));
    onDone(resolved);
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['order'] }),
      queries.invalidateQueries({ queryKey: ['review'] }),
    ]);
  };
  return (
    <Confirm
      title={t('resolveMany.title', { count: units.length })}
      verb={decision === null ? t('resolve.open') : t(`resolveMany.verb.${decision}`, { count: units.length })}
      requiresReason
      isReady={
        decision !== null && (decision === 'succeeded' || code !== null) && preview !== undefined && preview.units > 0
      }
      typed={isAbove && preview ? formatAmount(preview.amount) : undefined}
      onConfirm={resolve}
      onClose={onClose}
      size="lg"
    >
      {error && <p role="alert">{error.message}</p>}
      {preview && <About selected={units} preview={preview} />}
      <SegmentedControl
        fullWidth
        aria-label={t('resolve.verdict')}
        value={decision ?? ''}
        onChange={(value) => setDecision(value as Decision)}
        data={(['succeeded', 'failed'] as const).map((value) => ({
          value,
          label: t(`resolveMany.verdict.${value}`),
        }))}
      />
      {decision === 'failed' && <FailureCodeField value={code} onChange={setCode} />}
      {decision !== null && preview && <p className={classes.consequence}>{consequenceOf(preview, decision, t)}</p>}
    </Confirm>
  );
}

const usePreview = (units: Pick<Choice, 'order_number' | 'unit' | 'supplier' | 'attempt'>[]) =>
  useQuery({
    queryKey: ['review-preview', units],
    queryFn: () => ask(() => client.POST('/api/review/resolution/preview', { body: { units } })),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });

interface SelectedUnits {
  /** The units as they were when the operator selected them. */
  selected: readonly Choice[];
}

/** The amount of each merchant, and the units that can no longer be decided. */
function About({ selected, preview: { merchants, left } }: SelectedUnits & { preview: Preview }): ReactNode {
  const t = useT();
  return (
    <>
      <ul className={classes.shares}>
        {merchants.map(({ id, name, units, amount }) => (
          <li key={id}>
            <span>{name}</span>
            <span className="muted">{t('resolveMany.units', { count: units })}</span>
            <Amount value={amount} />
          </li>
        ))}
      </ul>
      {left.length > 0 && (
        <>
          <p>{t('resolveMany.leftAlready', { count: left.length })}</p>
          <UnsettledList selected={selected} left={left} />
        </>
      )}
    </>
  );
}

/** Says what the decision does to the money. */
function consequenceOf({ amount, merchants, orders, ending }: Preview, decision: Decision, t: Translate): string {
  const [only] = merchants;
  const whose = merchants.length === 1 && only ? only.name : t('resolveMany.merchants', { count: merchants.length });
  return [
    t(`resolveMany.consequence.${decision}`, { amount: formatAmount(amount), merchants: whose }),
    t('resolveMany.ending', { ending, count: orders }),
    ...(ending < orders ? [t('resolveMany.rest')] : []),
  ].join(' ');
}

/** Lists the units that the decision did not settle. */
function UnsettledUnits({
  selected,
  result: { resolved, left },
  onClose,
}: SelectedUnits & { result: Resolved; onClose: () => void }): ReactNode {
  const t = useT();
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('resolveMany.partly', { done: resolved.length, count: resolved.length + left.length })}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <p>{t('resolveMany.partlyHint')}</p>
      <UnsettledList selected={selected} left={left} />
      <Button size="xs" variant="default" onClick={onClose} className={classes.close}>
        {t('action.close')}
      </Button>
    </Modal>
  );
}

function UnsettledList({ selected, left }: SelectedUnits & { left: Resolved['left'] }): ReactNode {
  const t = useT();
  const chosen = new Map(selected.map((unit) => [keyOf(unit), unit]));
  return (
    <ul className={classes.left}>
      {left.map((unit) => (
        <li key={keyOf(unit)}>
          <span className="mono">
            {unit.order_number} · {unit.unit}
          </span>
          <Status of={unit.state} />
          {chosen.get(keyOf(unit))?.attempt !== unit.attempt && (
            <span className="muted">
              {t('resolveMany.movedTo', { attempt: unit.attempt, supplier: unit.supplier })}
            </span>
          )}
          {unit.decided_by !== null && <span className="muted">{t('resolveMany.by', { name: unit.decided_by })}</span>}
        </li>
      ))}
    </ul>
  );
}
