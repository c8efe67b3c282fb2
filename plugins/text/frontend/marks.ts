/**
 * Wraps every occurrence of `wanted` in the text below `root` into `<mark>`, ignoring case. Returns how many there are.
 */
export function mark(root: Node, wanted: string): number {
  if (!wanted) return 0;
  const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu');
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  let count = 0;
  for (const node of nodes) {
    for (const found of [...node.data.matchAll(pattern)].reverse()) {
      const within = node.splitText(found.index); // from the end on: what stands before keeps its place
      within.splitText(found[0].length);
      const wrapped = document.createElement('mark');
      within.replaceWith(wrapped);
      wrapped.append(within);
      count++;
    }
  }
  return count;
}
