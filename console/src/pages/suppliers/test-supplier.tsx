import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Failure, Loading } from '../../kit/states';
import { Status } from '../../kit/status';
import { Modal } from '../../kit/modal';
import classes from './supplier.module.css';

/** Tests a supplier with calls that buy nothing, and explains each result. */
export function TestSupplier({ code, onClose }: { code: string; onClose: () => void }): ReactNode {
  const t = useT();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['supplier-test', code],
    queryFn: () => ask(() => client.POST('/api/suppliers/{code}/test', { params: { path: { code } } })),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('suppliers.testOne', { supplier: code })}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <div aria-live="polite">
        {isFetching && <Loading rows={3} />}
        {!isFetching && error && <Failure error={error} onRetry={() => void refetch()} />}
        {!isFetching && data && (
          <>
            <ul className={classes.checks}>
              {data.checks.map(({ name, ok, finding, detail }) => (
                <li key={name}>
                  <span className={classes.check}>
                    {t(`suppliers.check.${name}`)}
                    <Status of={ok ? 'succeeded' : 'failed'} />
                  </span>
                  <span>{t(`suppliers.finding.${finding}`)}</span>
                  {detail !== null && <span className="mono muted">{detail}</span>}
                </li>
              ))}
            </ul>
            <p>{t(data.ok ? 'suppliers.testGood' : 'suppliers.testBad')}</p>
          </>
        )}
      </div>
      <div className={classes.buttons}>
        <Button variant="default" disabled={isFetching} onClick={() => void refetch()}>
          {t('suppliers.testAgain')}
        </Button>
      </div>
    </Modal>
  );
}
