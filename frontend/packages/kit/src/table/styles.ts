import { useLayoutEffect } from 'preact/hooks';
import styles from './table.css?inline';

let sheet: CSSStyleSheet | null = null;
let tables = 0;

/** Keeps the rules of tables in the page while there is one; they come first, so that the rules of a tab win. */
export function useTableStyles(): void {
  useLayoutEffect(() => {
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(styles);
    }
    const own = sheet;
    if (tables++ === 0) document.adoptedStyleSheets = [own, ...document.adoptedStyleSheets];
    return () => {
      if (--tables === 0) document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== own);
    };
  }, []);
}
