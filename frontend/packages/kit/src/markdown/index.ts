/** Markdown and formulas as nodes that are safe to show. */
export { rendered } from './rendered';
export { showWithFormulas } from './with_formulas';

import styles from './markdown.css?inline';

/** CSS text of what is rendered, in an element of the class `markdown`. */
export const markdownStyles: string = styles;
