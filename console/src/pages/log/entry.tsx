import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { Copy } from '../../kit/copy';
import type { LogEntry } from './actions';
import { changesOf, inLine } from './changes';
import classes from './log.module.css';

/** The details of an entry: old and new values, and the id of its request. */
export function Entry({ entry: { detail, reference, reason, request_id } }: { entry: LogEntry }): ReactNode {
  const t = useT();
  const changes = changesOf(detail);
  return (
    <div className={classes.entry}>
      {changes.length === 0 && reason === null && reference === null && <p className="muted">{t('log.noDetail')}</p>}
      <dl className={classes.changes}>
        {reason !== null && <Named name={t('log.why')} value={reason} />}
        {reference !== null && <Named name={t('log.reference')} value={reference} />}
        {changes.map((change) => (
          <div key={change.name}>
            <dt className="mono">{change.name}</dt>
            <dd>
              {'before' in change && (
                <>
                  <del className={classes.before}>
                    <span className="hidden">{t('log.before')}</span> <Value of={change.before} />
                  </del>{' '}
                  <span aria-hidden="true">→</span> <span className="hidden">{t('log.after')}</span>{' '}
                </>
              )}
              <Value of={change.after} />
            </dd>
          </div>
        ))}
      </dl>
      {request_id !== null && (
        <p className={classes.request}>
          <span className="muted">{t('state.requestId')}</span> <code className="mono">{request_id}</code>
          <Copy value={request_id} what={t('state.requestId')} />
        </p>
      )}
    </div>
  );
}

function Named({ name, value }: { name: string; value: string }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Amounts have two decimals. Other values that look like them, such as rates, may be shown the same way. */
const AMOUNT = /^-?\d+\.\d{2}$/;

function Value({ of }: { of: unknown }): ReactNode {
  const t = useT();
  if (typeof of === 'boolean') return t(of ? 'value.yes' : 'value.no');
  const text = inLine(of);
  if (text !== null) return AMOUNT.test(text) ? formatAmount(text) : text;
  return (
    // The JSON may be wider than the page, and keyboard users must be able to scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className={classes.raw} tabIndex={0}>
      {JSON.stringify(of, null, 2)}
    </pre>
  );
}
