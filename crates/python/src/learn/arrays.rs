//! The parameters of models as arrays, in the units of the data, by the names that scikit-learn gives them.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use throng_learn::Matrix;
use throng_learn::any::AnyModel;
use throng_learn::columns::Column;
use throng_learn::naive_bayes::NaiveBayesModel;

use crate::error::Answer;

/// A table as an array.
pub(super) fn table<'py>(
    py: Python<'py>,
    table: &Matrix<f64>,
) -> Answer<Bound<'py, PyArray2<f64>>> {
    let values = PyArray1::from_slice(py, table.values());
    Ok(values.reshape([table.rows(), table.columns()])?)
}

pub(super) fn of<'py>(py: Python<'py>, model: &AnyModel) -> Answer<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    let line = |values: &[f64]| PyArray1::from_slice(py, values);
    match model {
        AnyModel::Linear(model) => {
            found.set_item("coef_", line(&model.coefficients()))?;
            found.set_item("intercept_", model.intercept())?;
        }
        AnyModel::Logistic(model) => {
            found.set_item("coef_", table(py, &model.coefficients())?)?;
            found.set_item("intercept_", line(&model.intercepts()))?;
        }
        AnyModel::Svm(model) => {
            found.set_item("coef_", table(py, &model.coefficients())?)?;
            found.set_item("intercept_", line(&model.intercepts()))?;
        }
        AnyModel::KMeans(model) => {
            found.set_item("cluster_centers_", table(py, &model.centres())?)?;
        }
        AnyModel::Pca(model) => {
            found.set_item("components_", table(py, model.components())?)?;
            found.set_item("explained_variance_", line(model.variances()))?;
            found.set_item("mean_", line(model.mean()))?;
        }
        AnyModel::Scaler(model) => {
            found.set_item("mean_", line(model.means()))?;
            found.set_item("scale_", line(model.deviations()))?;
        }
        AnyModel::NaiveBayes(model) => naive_bayes(py, model, &found)?,
        AnyModel::Images(model) => {
            found.set_item("coef_", table(py, model.weights())?)?;
            found.set_item("intercept_", line(model.constants()))?;
        }
        // Trees, networks and distributions are read as JSON.
        _ => {}
    }
    Ok(found)
}

/// Means and variances in the units of the data; NaN for categories, which have frequencies instead.
fn naive_bayes(py: Python<'_>, model: &NaiveBayesModel, found: &Bound<'_, PyDict>) -> Answer<()> {
    let (mut means, mut variances) = (model.means().clone(), model.variances().clone());
    for class in 0..means.rows() {
        let both = means.row_mut(class).iter_mut().zip(variances.row_mut(class));
        for ((mean, variance), column) in both.zip(model.declared().as_slice()) {
            match column {
                Column::Number(bounds) => {
                    let half = bounds.width() / 2.0;
                    *mean = bounds.middle() + *mean * half;
                    *variance *= half * half;
                }
                Column::Category(_) => (*mean, *variance) = (f64::NAN, f64::NAN),
            }
        }
    }
    found.set_item("theta_", table(py, &means)?)?;
    found.set_item("var_", table(py, &variances)?)?;
    found.set_item("class_log_prior_", PyArray1::from_slice(py, model.prior()))?;
    let levels: Vec<_> =
        model.levels().iter().map(|levels| table(py, levels)).collect::<Answer<_>>()?;
    Ok(found.set_item("feature_log_prob_", levels)?)
}
