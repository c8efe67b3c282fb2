import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** A chart in an element of the page. */
export interface Chart<Props> {
  update(props: Props): void;
  toSVG(): string;
  toPNG(): Promise<Blob>;
  dispose(): void;
}

/**
 * A chart in a component: made after the component's first frame, updated in each frame that renders it, and made
 * again when `about` changes. The element gets `data-ready` with its chart, which `chart` holds.
 */
export function useChart<Props, Made extends Chart<Props>>(
  mount: (host: HTMLElement, props: Props) => Made,
  props: Props,
  host: { readonly current: HTMLElement | null },
  chart: { current: Made | null },
  about?: unknown,
): void {
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    chart.current = mount(element, latest.current);
    element.dataset['ready'] = '1';
    return () => {
      chart.current?.dispose();
      chart.current = null;
    };
  }, [about]);
  useLayoutEffect(() => chart.current?.update(latest.current));
}
