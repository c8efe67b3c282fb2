export function render() {
  document.body.textContent = 'half drawn';
  throw new Error('dropped everything');
}
