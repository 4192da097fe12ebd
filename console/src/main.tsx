import './styles';
import { createTheme, MantineProvider, type MantineColorsTuple } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isProblem } from './api';
import { rememberedLanguage, setLanguage } from './i18n/words';
import { watchAttendance } from './kit/attendance';
import { noteAnswer } from './kit/live';
import { Toasts } from './kit/toasts';
import { createConsoleRouter } from './routes';
import { sessionQuery } from './session';

watchAttendance(window);

/** The server writes a nonce into the page. The browser accepts styles that components add only with this nonce. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
Object.assign(window, { __webpack_nonce__: nonce });

const accent: MantineColorsTuple = [
  ...(['#f0effe', '#dedbfb', '#bfb9f7', '#9d95f2', '#7f75ee'] as const),
  ...(['#6a5feb', '#5d51e6', '#5246da', '#4a3fd6', '#3a30b4'] as const),
];

/** The greys of the dark scheme, from text to the darkest background. */
const dark: MantineColorsTuple = [
  ...(['#e8eaf0', '#c3c8d4', '#a3aabb', '#6d7484', '#3b404d'] as const),
  ...(['#2c303b', '#22262f', '#14161c', '#111319', '#0d0f14'] as const),
];

const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: 8,
  colors: { accent, dark },
  fontFamily:
    // Thai first: some system fonts have Thai letters of another weight and height.
    "'Noto Sans Thai Variable', -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', " +
    'Arial, sans-serif',
  fontFamilyMonospace: 'var(--mono)',
  defaultRadius: 'sm',
  respectReducedMotion: true,
  cursorType: 'pointer',
});

const MAX_RETRIES = 2;

const queries = new QueryClient({
  queryCache: new QueryCache({
    onSuccess: () => noteAnswer(null),
    onError: (error) => {
      noteAnswer(error);
      if (isProblem(error, 401)) queries.setQueryData(sessionQuery.queryKey, null);
    },
  }),
  mutationCache: new MutationCache({
    onError: (error) => {
      if (isProblem(error, 401)) queries.setQueryData(sessionQuery.queryKey, null);
    },
  }),
  defaultOptions: {
    queries: {
      // Retry only errors that may pass.
      retry: (failures, error) => failures < MAX_RETRIES && !(isProblem(error) && !error.isPassing),
      retryDelay: (failures) => 400 * 2 ** failures,
      staleTime: 2_000,
      networkMode: 'always',
    },
  },
});

const router = createConsoleRouter(queries);

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

// The frame of index.html shows until the first page does.
router.subscribe('onResolved', () => document.getElementById('frame')?.remove());

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no place for the console');
// A console in English is better than an empty page.
await setLanguage(rememberedLanguage()).catch(() => undefined);
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
