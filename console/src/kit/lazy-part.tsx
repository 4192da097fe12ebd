import { createElement, Suspense, use, useState, type ComponentType, type ReactNode } from 'react';

/**
 * A component whose code the browser loads when the component is first shown. React's `lazy` would remember a failure for ever,
 * but this loads the code anew when the component is shown again.
 * @param fallback what to show during the load
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: ReactNode = null,
): (props: Props) => ReactNode {
  let loading: Promise<ComponentType<Props>> | null = null;
  const start = (): Promise<ComponentType<Props>> => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
  return function LazyPart(props: Props): ReactNode {
    // Kept above `Suspense`: below it, each render after a failure would begin the next load, without end.
    const [part] = useState(start);
    return (
      <Suspense fallback={fallback}>
        <Loaded part={part} props={props} />
      </Suspense>
    );
  };
}

interface LoadedProps<Props> {
  part: Promise<ComponentType<Props>>;
  props: Props;
}

function Loaded<Props extends object>({ part, props }: LoadedProps<Props>): ReactNode {
  return createElement(use(part), props);
}
