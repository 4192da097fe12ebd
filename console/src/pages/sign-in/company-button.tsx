import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { SubmitError, useSubmit } from '../../kit/form';
import classes from './frame.module.css';

/** The company's sign-in with its name, if configured. Null when there is none, or before the API has answered. */
export function useCompany(): { name: string | null } | null {
  const { data } = useQuery({
    queryKey: ['sign-in', 'ways'],
    queryFn: ({ signal }) => ask(() => client.GET('/api/session/ways', { signal })),
    staleTime: Infinity,
  });
  return data?.company ? { name: data.company_name } : null;
}

/** Opens the company's sign-in, which redirects to `/login/company`. @param next the page to open after sign-in. */
export function CompanyButton({ name, next }: { name: string | null; next: string }): ReactNode {
  const t = useT();
  const { error, isBusy, submit } = useSubmit(async () => {
    const { url } = await ask(() => client.POST('/api/session/company', { body: { next } }));
    window.location.assign(url);
  });
  return (
    <form className={classes.form} onSubmit={submit}>
      <SubmitError error={error} />
      <Button type="submit" variant="default" loading={isBusy} fullWidth>
        {name === null ? t('company.signIn') : t('company.signInWith', { name })}
      </Button>
    </form>
  );
}
