import type { LineChart } from '@insight-host/kit/lines';
import { useEffect } from 'preact/hooks';

let count = 0; // of pictures

/** While the page is printed, a card shows its chart as vector graphics: the canvas has the pixels of the screen. */
export function usePrintPicture(
  chart: { readonly current: LineChart | null },
  host: { readonly current: HTMLElement | null },
): void {
  useEffect(() => {
    let picture: SVGElement | null = null;
    const begin = (): void => {
      if (!chart.current || picture) return;
      const own = `print${(count += 1)}-`; // names in one document: those of another card must not hold here
      const text = chart.current.toSVG().replace(/(id="|url\(#)(?=clip\d)/g, `$1${own}`);
      const { documentElement: drawn } = new DOMParser().parseFromString(text, 'image/svg+xml');
      picture = document.importNode(drawn, true) as unknown as SVGElement;
      picture.classList.add('print-picture');
      picture.setAttribute('aria-hidden', 'true');
      host.current?.append(picture);
    };
    const end = (): void => {
      picture?.remove();
      picture = null;
    };
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
      end();
    };
  }, []);
}
