// What the page shows; everything in it was computed before.
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
