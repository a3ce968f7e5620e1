# Reference figures by the survey package, for test_references.py.
# Run: Rscript figures.R > figures_survey.csv   (survey 4.1.1, R 4.2.2)
suppressMessages(library(survey))
d <- read.csv("anes96.csv")
d$old <- d$age >= 47
d$one <- 1
say <- function(name, estimate, se) {
  cat(sprintf("%s,%.12g,%.12g\n", name, estimate, se))
}
cat("name,estimate,se\n")
for (weight in c("one", "educ")) {
  design <- svydesign(id = ~1, weights = as.formula(paste0("~", weight)), data = d)
  prefix <- if (weight == "one") "plain" else "weighted"
  r <- svyratio(~pid, ~vote, design)
  say(paste0(prefix, "_ratio"), coef(r), SE(r))
  for (column in c("pid", "vote")) {
    m <- svymean(as.formula(paste0("~", column)), design)
    say(paste0(prefix, "_mean_", column), coef(m), SE(m))
  }
  arms <- svyby(~pid, ~old, design, svymean, covmat = TRUE)
  gap <- svycontrast(arms, c("TRUE" = 1, "FALSE" = -1))
  say(paste0(prefix, "_difference"), coef(gap), SE(gap))
  lift <- svycontrast(arms, quote(log(`TRUE` / `FALSE`)))
  say(paste0(prefix, "_log_lift"), coef(lift), SE(lift))
  both <- svyby(~pid, ~old, design, denominator = ~vote, svyratio, covmat = TRUE)
  double <- svycontrast(both, quote(log(`TRUE` / `FALSE`)))
  say(paste0(prefix, "_log_ratio_of_ratios"), coef(double), SE(double))
  # A total of units whose number varies: Poisson sampling with tiny chances.
  d$chance <- 1e-9
  d$scaled <- d$pid * d[[weight]] * d$chance
  poisson <- svydesign(id = ~1, probs = ~chance, data = d,
                       pps = poisson_sampling(d$chance))
  total <- svytotal(~scaled, poisson)
  say(paste0(prefix, "_total_pid"), coef(total), SE(total))
}
design <- svydesign(id = ~1, weights = ~one, data = d)
v <- svyvar(~pid + vote, design)
entries <- c(pp = 1, pv = 2, vp = 3, vv = 4)
k <- as.vector(coef(v)); cv <- vcov(v)
say("plain_variance_pid", k[1], sqrt(cv[1, 1]))
g <- c(-k[2] / (2 * k[1] * sqrt(k[1] * k[4])), 1 / sqrt(k[1] * k[4]), 0,
       -k[2] / (2 * k[4] * sqrt(k[1] * k[4])))
say("plain_correlation", k[2] / sqrt(k[1] * k[4]), sqrt(drop(g %*% cv %*% g)))
fit <- svyglm(vote ~ pid, design)
say("plain_slope", coef(fit)["pid"], SE(fit)["pid"])
