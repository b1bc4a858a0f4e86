% Transforms of GNU Octave against sums by definition. A failed check ends Octave with an error.
function check(found, wanted, what)
  tolerance = choice(isa(found, "single"), 1e-5, 1e-12);
  assert(size(found), size(wanted));
  worst = max(abs(double(found(:)) - double(wanted(:)))) / max(1, max(abs(double(wanted(:)))));
  if ! (worst < tolerance)
    error("%s: error %g", what, worst);
  end
end

function value = choice(condition, yes, no)
  if condition
    value = yes;
  else
    value = no;
  end
end

function y = dft(x, n, dim, sign_)
  % The transform along a dimension, by a matrix.
  w = exp(sign_ * 2i * pi * mod((0:n-1)' * (0:n-1), n) / n);
  order = [dim, setdiff(1:ndims(x), dim)];
  p = permute(double(x), order);
  sizes = size(p);
  p = reshape(p, sizes(1), []);
  if rows(p) < n
    p(n, end) = 0;
  end
  y = ipermute(reshape(w * p(1:n, :), [n, sizes(2:end)]), order);
end

rand("seed", 1);
for kind = {"double", "single"}
  as = str2func(kind{1});
  for sizes = {[16, 1], [1, 15], [12, 10], [7, 9], [4, 5, 6], [3, 4, 2, 5]}
    s = sizes{1};
    for z = {as(rand(s)), as(rand(s) + 1i * rand(s))}
      x = z{1};
      for dim = 1:numel(s)
        n = size(x, dim);
        check(fft(x, [], dim), dft(x, n, dim, -1), "fft");
        check(fft(x, n + 3, dim), dft(cat(dim, x, zeros([s(1:dim-1), 3, s(dim+1:end)])), n + 3, dim, -1), "fft, padded");
        check(ifft(x, [], dim), dft(x, n, dim, 1) / n, "ifft");
      end
      all = x;
      for dim = 1:numel(s)
        all = dft(all, size(all, dim), dim, -1);
      end
      check(fftn(x), all, "fftn");
      check(ifftn(as(all)), double(x), "ifftn");
      if numel(s) == 2
        check(fft2(x), all, "fft2");
        check(ifft2(as(all)), double(x), "ifft2");
      end
    end
  end
end
a = rand(1, 300);
b = rand(1, 70);
wanted = zeros(1, 369);
for k = 1:70
  wanted(k:k+299) += b(k) * a;
end
check(fftconv(a, b), wanted, "fftconv");
check(fftfilt(b, a), wanted(1:300), "fftfilt");
fftw("threads", 2);
x = rand(1024, 1024);
y = fft2(x);
assert(abs(y(1) - sum(x(:))) < 1e-6);
check(ifft2(y), x, "ifft2 by two threads");
fftw("planner", "measure");
check(fft(rand(60, 3)(:, [1 1 1]) * 0 + 1), [60 * ones(1, 3); zeros(59, 3)], "fft by a measured plan");
% The library that Octave found.
library = evalc("version -fftw");
assert(any(strfind(library, "earth-fft")), library);
printf("octave: all transforms agree with their definitions\n");
